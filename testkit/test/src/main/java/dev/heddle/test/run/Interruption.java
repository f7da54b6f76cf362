// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

/// What a chooser has done beyond choosing among those that were ready.
///
/// @param kind its kind
/// @param number that of the point, or of the step; counted from 0
/// @param value of a preemption, the place among the others of the one that ran instead; of a
///   stall, its nanoseconds; of a wake-up, the place of the one among those that waited
/// @param among how many others were ready, or waited
/// @param step the number of steps before it
/// @param time the virtual time, in nanoseconds
/// @param id the one that was interrupted; see [Candidates#id]
/// @param instead the one that ran then, after a preemption; 0: the loop, or none
/// @param where class and method of the point
public record Interruption(
    Kind kind,
    int number,
    long value,
    int among,
    int step,
    long time,
    long id,
    long instead,
    String where) {
  /// The kinds, with their letters in schedules.
  public enum Kind {
    /// The one that ran gave way at a point.
    PREEMPTION('p'),
    /// The one that ran was kept away at a point for some time.
    STALL('s'),
    /// One returned from a wait in the JDK for no reason.
    WAKE_UP('w');

    private final char letter;

    Kind(char letter) {
      this.letter = letter;
    }

    public char letter() {
      return letter;
    }
  }

  Interruption withChoice(int others, int chosen, long ran) {
    return new Interruption(kind, number, chosen, others, step, time, id, ran, where);
  }
}
