// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import java.time.Duration;

/// How long leases are. All nodes of a cluster use the same.
///
/// @param renewNanos between the starts of two renewals
/// @param holdNanos from the start of the last acknowledged renewal until the node stops acting
/// @param lostNanos from the last renewal, as the leader has seen it, until it declares the loss
public record LeaseTimes(long renewNanos, long holdNanos, long lostNanos) {
  /// 1.5 s, 8 s, 10.5 s: the loss of a leader (2.6 s measured) costs no node its lease.
  public static final LeaseTimes DEFAULT =
      new LeaseTimes(1_500_000_000L, 8_000_000_000L, 10_500_000_000L);

  /// Checks the order.
  public LeaseTimes {
    if (renewNanos <= 0 || renewNanos >= holdNanos || holdNanos >= lostNanos) {
      throw new IllegalArgumentException(
          "a lease is renewed (%d ns) before it ends (%d ns), and ends before the loss (%d ns)"
              .formatted(renewNanos, holdNanos, lostNanos));
    }
  }

  /// The default times in proportion to a node's lease.
  ///
  /// @param hold from the start of a renewal until the node stops acting; at least 1 ms
  public static LeaseTimes holding(Duration hold) {
    long nanos = hold.toNanos();
    if (nanos < 1_000_000) {
      throw new IllegalArgumentException("a lease lasts at least 1 ms: " + hold);
    }
    return new LeaseTimes(nanos / 16 * 3, nanos, Math.addExact(nanos, nanos / 16 * 5));
  }
}
