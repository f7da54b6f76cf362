// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/// A text that the DNS has of a name.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=txt}
///
/// @param strings its parts, of 255 bytes at most each, read as UTF-8
/// @param ttl for how long this may be kept
/// @see Dns#resolveTxt
/// @since 0.1
public record TxtRecord(List<String> strings, Duration ttl) {
  /// A record.
  public TxtRecord {
    strings = List.copyOf(strings);
    Objects.requireNonNull(ttl, "ttl");
  }

  /// The text as a whole: its parts one after the other.
  public String text() {
    return String.join("", strings);
  }
}
