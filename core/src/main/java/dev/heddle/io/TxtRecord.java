// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/// A TXT record of the DNS.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=txt}
///
/// @param strings its strings, of at most 255 bytes each, decoded as UTF-8
/// @param ttl how long the record may be cached
/// @see Dns#resolveTxt
/// @since 0.1
public record TxtRecord(List<String> strings, Duration ttl) {
  /// Copies the list.
  public TxtRecord {
    strings = List.copyOf(strings);
    Objects.requireNonNull(ttl, "ttl");
  }

  /// The whole text: its strings concatenated.
  public String text() {
    return String.join("", strings);
  }
}
