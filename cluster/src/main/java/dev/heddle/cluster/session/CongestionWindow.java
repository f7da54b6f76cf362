// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

/// How many bytes a session may have on their way, by the time in which they are acknowledged.
///
/// **Thread** as of its session.
final class CongestionWindow {
  /*
   * What is on its way waits in queues of the engine, of the kernels, and of what is between them.
   * So does what this node says in answer: its acks and its PONGs come behind all that. Over
   * 350 KB/s, 2 MiB take 6 s, and then the other node has had no ack for as long as ends a session,
   * although all was well.
   *
   * So little is on its way while acks are slow. The engine loses nothing, so the time of an ack
   * decides, as with TCP Vegas, and not a loss. One packet at a time is timed: one that leaves when
   * it makes at least half of the window on its way. So a session that sends little learns nothing,
   * and its acks, which may wait for a second, count for nothing.
   *
   *   timed packet acknowledged within 0.75 s   twice as many bytes
   *   after more than 3 s                       half of them
   *
   * Half of a window within 0.75 s is all of the next one within 3 s. The first 256 KiB pass within
   * 6 s over 45 KB/s. On a local network the window has all 2 MiB after some 0.15 s: three acks,
   * each of which may wait for 50 ms.
   *
   * A packet may be longer than the window. It leaves when next to nothing else is on its way: so
   * little that its ack may wait for a second.
   *
   * I1. What leaves at once passes within 3 s at the speed that was seen. [SessionTest]
   * I2. Each packet may leave when what is on its way is acknowledged. [SessionTest]
   */
  static final int LEAST_BYTES = 128 * 1024;
  static final int FIRST_BYTES = 256 * 1024;

  private static final long FAST_NANOS = 750_000_000L;
  private static final long SLOW_NANOS = 3_000_000_000L;
  private static final long NONE = 0;

  private final int most;
  private int bytes = FIRST_BYTES;
  private long timed = NONE; // the number of the packet
  private long timedAt;

  /// @param most bytes that it ever has
  CongestionWindow(int most) {
    this.most = most;
  }

  int bytes() {
    return bytes;
  }

  /// A packet leaves.
  ///
  /// @param onTheirWay bytes, its own included
  void sent(long number, long onTheirWay, long now) {
    if (timed == NONE && onTheirWay >= bytes / 2) {
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
      bytes = Math.min(2 * bytes, most);
    } else if (now - timedAt > SLOW_NANOS) {
      bytes = Math.max(bytes / 2, LEAST_BYTES);
    }
  }
}
