// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.time.Duration;
import java.util.Objects;

/// Where a service is served, as the DNS says (RFC 2782).
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=srv}
///
/// @param target the host's name, without a dot at its end
/// @param port of the service on that host
/// @param priority hosts with the least are to be tried first
/// @param weight among hosts of one priority, the share of clients that is to go to this one
/// @param ttl for how long this may be kept
/// @see Dns#resolveSrv
/// @since 0.1
public record SrvRecord(String target, int port, int priority, int weight, Duration ttl) {
  /// A record.
  public SrvRecord {
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(ttl, "ttl");
  }
}
