// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

/// How many bytes a session may have on their way, by the time in which they are acknowledged.
///
/// **Thread** as of its [Session].
final class CongestionWindow {
  /*
   * What is on its way waits in queues of the engine, of the kernels, and of what is between them.
   * So does what this node says in answer: its acks and its PONGs carry no later number than when
   * they were written, and come behind all that. Over 350 KB/s, 2 MiB take 6 s, and then the other
   * node has had no ack for as long as ends a session, although all was well.
   *
   * So there are few bytes on their way while acks are slow: as with TCP Vegas, the time of an ack
   * decides, not a loss, since the engine loses nothing. One packet at a time is timed, which
   * makes one decision in each round trip:
   *
   *   acknowledged within 0.5 s   twice as many bytes
   *   after more than 2 s         half of them
   *
   * Between the two nothing changes. An ack of little may wait for 1 s, and tells nothing.
   *
   * The first 256 KiB pass within 6 s over 45 KB/s. A network that is faster has all 2 MiB after
   * three round trips.
   *
   * I1. It is never so small that a packet of several frames does not fit. A longer one leaves when
   *     nothing else is on its way. [SessionTest]
   */
  static final int LEAST_BYTES = 128 * 1024;
  static final int FIRST_BYTES = 256 * 1024;

  private static final long FAST_NANOS = 500_000_000L;
  private static final long SLOW_NANOS = 2_000_000_000L;
  private static final long NONE = 0;

  private int bytes = FIRST_BYTES;
  private long timed = NONE; // the number of the packet
  private long timedAt;

  int bytes() {
    return bytes;
  }

  /// A packet leaves. The next one is timed when this one is acknowledged.
  void sent(long number, long now) {
    if (timed == NONE) {
      timed = number;
      timedAt = now;
    }
  }

  /// All packets up to a number are acknowledged.
  void acknowledged(long number, long now) {
    if (timed == NONE || number < timed) {
      return;
    }
    timed = NONE;
    if (now - timedAt <= FAST_NANOS) {
      bytes = Math.min(2 * bytes, Session.WINDOW_BYTES);
    } else if (now - timedAt > SLOW_NANOS) {
      bytes = Math.max(bytes / 2, LEAST_BYTES);
    }
  }
}
