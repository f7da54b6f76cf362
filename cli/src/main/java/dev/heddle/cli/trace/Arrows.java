// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import dev.heddle.observe.trace.TraceKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Finds what has caused each run: the wake-up, or the start, that came before it.
final class Arrows {
  /*
   * A coroutine is woken once before a run, and what follows until the run is no cause of it. So
   * the first wake-up, or the start, since the last run counts; and none where that was lost.
   *
   * In a loop the order of the ring is the order of what has happened, even where entries share a
   * reading of the clock. Workers have a ring each; there a run begins after what has caused it,
   * and the next wake-up comes after that beginning, though perhaps before the end is written: so
   * runs are put in order by their beginnings.
   */
  /// A cause.
  ///
  /// @param track on which it is
  /// @param at its time
  record Arrow(int track, long at, String name) {}

  private record Step(long at, int thread, int entry, boolean isRun) {}

  private Arrows() {}

  /// The causes of the runs of threads whose coroutines or processes are the same ones.
  ///
  /// @param tracks the first one of each thread
  /// @return for each thread, by the number of the entry
  static List<@Nullable Arrow[]> of(
      List<ThreadTrace> threads, List<long[]> places, List<Integer> tracks) {
    List<@Nullable Arrow[]> found = new ArrayList<>();
    List<Step> steps = new ArrayList<>();
    for (int thread = 0; thread < threads.size(); thread++) {
      ThreadTrace trace = threads.get(thread);
      found.add(new Arrow[trace.entries().size()]);
      for (int i = 0; i < trace.entries().size(); i++) {
        boolean isRun = trace.is(i, TraceKind.RUN);
        if (isRun || trace.is(i, TraceKind.WAKE) || trace.is(i, TraceKind.SPAWN)) {
          boolean byBeginning = isRun && threads.size() > 1;
          long at = byBeginning ? trace.entries().other(i) : places.get(thread)[i];
          steps.add(new Step(at, thread, i, isRun));
        }
      }
    }
    if (threads.size() > 1) {
      steps.sort((one, other) ->
          one.at != other.at
              ? Long.compare(one.at, other.at)
              : Boolean.compare(one.isRun, other.isRun));
    }
    match(steps, threads, tracks, found);
    return found;
  }

  private static void match(
      List<Step> steps,
      List<ThreadTrace> threads,
      List<Integer> tracks,
      List<@Nullable Arrow[]> found) {
    Map<Long, Arrow> pending = new HashMap<>();
    for (Step step : steps) {
      ThreadTrace trace = threads.get(step.thread);
      long who = trace.entries().who(step.entry);
      if (step.isRun) {
        found.get(step.thread)[step.entry] = pending.remove(who);
      } else {
        String code = trace.is(step.entry, TraceKind.SPAWN) ? "spawn" : trace.code(step.entry);
        int track = tracks.get(step.thread) + (trace.isOwn(step.entry) ? 1 : 0);
        pending.putIfAbsent(who, new Arrow(track, step.at, code.isEmpty() ? "wake" : code));
      }
    }
  }
}
