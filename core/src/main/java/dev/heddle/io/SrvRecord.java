// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.time.Duration;
import java.util.Objects;

/// An SRV record of the DNS: a host that provides a service (RFC 2782).
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=srv}
///
/// @param target name of the host, without a trailing dot
/// @param port of the service on that host
/// @param priority hosts with the lowest value are to be tried first
/// @param weight share of the clients, relative to other hosts of the same priority
/// @param ttl how long the record may be cached
/// @see Dns#resolveSrv
/// @since 0.1
public record SrvRecord(String target, int port, int priority, int weight, Duration ttl) {
  /// Checks the components.
  public SrvRecord {
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(ttl, "ttl");
  }
}
