// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import java.util.concurrent.TimeUnit;

/// The times of sessions, in nanoseconds.
///
/// @param heartbeat after how long without a packet to the other node a ping is sent
/// @param silence after how long without a packet from the other node the session ends
/// @param probe how long the other node may take to answer when it is suspected
/// @param firstHello between the first greetings of an address
/// @param lastHello between the greetings of an address that does not answer
public record SessionTimes(
    long heartbeat, long silence, long probe, long firstHello, long lastHello) {
  /// Those of a cluster.
  public static final SessionTimes DEFAULT =
      new SessionTimes(seconds(1), seconds(6), seconds(1), seconds(1), seconds(15));

  private static long seconds(long seconds) {
    return TimeUnit.SECONDS.toNanos(seconds);
  }
}
