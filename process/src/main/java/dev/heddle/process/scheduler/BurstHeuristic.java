// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

/// Whether a run sends to one task again and again, so that a burst is worth its object.
///
/// **Thread** the worker's.
final class BurstHeuristic {
  private static final int SINGLE_SENDS =
      4; // messages to one task in a row, before a burst of them
  private static final int FEWEST_PLACES = 16; // of a burst; then twice as many each time
  private static final int MOST_PLACES = 128; // half a kilobyte

  private long run; // to which the rest belongs
  private long receiver;
  private int consecutive; // messages that were sent there
  private int places; // of the next burst of this run

  /// A message goes to a task.
  ///
  /// @return whether enough have gone there in a row
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

  /// How many places the next burst has: no more than were sent before, or a few.
  int places() {
    int now = places;
    places = Math.min(MOST_PLACES, 2 * now);
    return now;
  }
}
