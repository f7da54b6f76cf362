// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

/// Decides when a [Burst] is worth its object: after several messages of a run to one task.
///
/// **Thread** the worker.
final class BurstHeuristic extends CacheLinePadding {
  private static final int SINGLE_SENDS = 4; // messages to one task in a row, before a burst
  private static final int FEWEST_PLACES = 16; // of a burst; then twice as many each time
  private static final int MOST_PLACES = 128; // half a kilobyte

  private long run; // to which the other fields belong
  private long receiver;
  private int consecutive; // messages to this receiver
  private int places; // of the next burst of this run

  /// Counts a message to a task.
  ///
  /// @return whether enough messages have gone to it in a row
  boolean countSend(long to, long thisRun) {
    if (receiver != to || run != thisRun) {
      begin(to, thisRun);
    }
    return ++consecutive > SINGLE_SENDS;
  }

  private void begin(long to, long thisRun) {
    if (run != thisRun) {
      run = thisRun;
      places = FEWEST_PLACES;
    }
    receiver = to;
    consecutive = 0;
  }

  /// The number of places of the next burst of this run: twice that of the one before.
  int places() {
    int now = places;
    places = Math.min(MOST_PLACES, 2 * now);
    return now;
  }
}
