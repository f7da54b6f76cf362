// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The course that a run takes: each step with its time, what was ready, and what ran.
///
/// **Thread** carrier, until the run is over.
public final class Course {
  private static final int INITIAL = 64;

  // of each step
  private long[] times = new long[INITIAL];
  private long[] ids = new long[INITIAL];
  private int[] ready = new int[INITIAL];
  private int[] chosen = new int[INITIAL];
  private int steps;

  private int[] points = new int[INITIAL]; // that were reached before it

  // of each decision: its step
  private int[] decisions = new int[INITIAL];
  private int decided;

  private final BitSet contested = new BitSet(); // by the number of the point
  private int reached; // points
  private final List<Interruption> interruptions = new ArrayList<>();
  private int choices; // steps in which nothing ran

  private final Map<Long, String> names = new HashMap<>();
  private long fingerprint;

  void step(long time, long id, int ready, int chosen) {
    if (steps == times.length) {
      times = Arrays.copyOf(times, steps * 2);
      ids = Arrays.copyOf(ids, steps * 2);
      this.ready = Arrays.copyOf(this.ready, steps * 2);
      this.chosen = Arrays.copyOf(this.chosen, steps * 2);
      points = Arrays.copyOf(points, steps * 2);
    }
    times[steps] = time;
    ids[steps] = id;
    this.ready[steps] = ready;
    this.chosen[steps] = chosen;
    points[steps] = reached;
    if (ready > 1) {
      decide();
    }
    steps++;
    mix(time);
    mix(id);
    mix(((long) ready << Integer.SIZE) | chosen);
  }

  /// The last step was a choice: nothing ran in it.
  void madeChoice() {
    choices++;
  }

  int choices() {
    return choices;
  }

  private void decide() {
    if (decided == decisions.length) {
      decisions = Arrays.copyOf(decisions, decided * 2);
    }
    decisions[decided++] = steps;
  }

  /// A preemption point is reached.
  ///
  /// @return its number
  int point(boolean isContested) {
    contested.set(reached, isContested);
    return reached++;
  }

  /// The chooser does more than to choose among those that are ready.
  ///
  /// @return its place among the interruptions
  int interrupt(Interruption interruption) {
    interruptions.add(interruption);
    mix(interruption.kind().letter());
    mix(interruption.number());
    mix(interruption.value());
    return interruptions.size() - 1;
  }

  /// What came of a preemption.
  void choseInstead(int interruption, int among, int chosen, long ran) {
    interruptions.set(interruption, interruptions.get(interruption).withChoice(among, chosen, ran));
  }

  /// Mixes a number into the fingerprint.
  void mix(long number) {
    // the finaliser of SplitMix64
    long mixed = (fingerprint ^ number) + 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    fingerprint = mixed ^ (mixed >>> 31);
  }

  void name(long id, String name) {
    names.put(id, name);
  }

  public int steps() {
    return steps;
  }

  /// The time of a step, in nanoseconds since the beginning.
  public long time(int step) {
    return times[step];
  }

  /// What ran in a step; see [Candidates#id].
  public long id(int step) {
    return ids[step];
  }

  public int ready(int step) {
    return ready[step];
  }

  public int chosen(int step) {
    return chosen[step];
  }

  /// The number of steps at which more than one was ready.
  public int decisions() {
    return decided;
  }

  /// The step of a decision.
  public int stepOf(int decision) {
    return decisions[decision];
  }

  /// The number of preemption points.
  public int points() {
    return reached;
  }

  /// The number of preemption points before a step.
  public int pointsBefore(int step) {
    return points[step];
  }

  /// Whether another one may have been ready at a point.
  public boolean isContested(int point) {
    return contested.get(point);
  }

  /// In the order in which they happened.
  public List<Interruption> interruptions() {
    return Collections.unmodifiableList(interruptions);
  }

  /// A name of a coroutine or thread.
  public String name(long id) {
    return names.getOrDefault(id, id == 0 ? "loop" : id > 0 ? "coroutine-" + id : "thread" + id);
  }

  /// A number that two runs share when they took the same course.
  public long fingerprint() {
    return fingerprint;
  }
}
