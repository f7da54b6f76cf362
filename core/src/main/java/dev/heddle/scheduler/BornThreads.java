// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.scheduler.context.VirtualThreads;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The threads that are no coroutines and whose turns a loop runs, and that have not ended. Only
/// where [SchedulerParts.Births#ON_LOOP] says so.
///
/// The end of the loop drops them: the JDK would keep each of them, and what is on its stack, for
/// ever.
///
/// **Thread** the loop's.
public final class BornThreads {
  private final ReadyQueue ready;

  // in the order of their first turns, so that each run of a simulation drops them in the same one
  private final Set<Thread> alive = new LinkedHashSet<>();

  private final List<Object> others = new ArrayList<>(); // passed over by next()

  BornThreads(ReadyQueue ready) {
    this.ready = ready;
  }

  /// Makes a turn ready.
  void arrived(BornThread turn) {
    Thread thread = threadOf(turn);
    if (thread != null) {
      alive.add(thread);
    }
    ready.add(turn);
  }

  /// Runs a turn.
  void run(BornThread turn) {
    turn.turn().run();
    Thread thread = threadOf(turn);
    if (thread != null && thread.getState() == Thread.State.TERMINATED) {
      alive.remove(thread);
    }
  }

  /// Hands over the next turn that is ready.
  ///
  /// @return false: none is, and all else that was ready is again
  boolean next(Consumer<Object> dispatcher) {
    for (Object next = ready.poll(); next != null; next = ready.poll()) {
      if (next instanceof BornThread) {
        dispatcher.accept(next);
        return true;
      }
      others.add(next);
    }
    others.forEach(ready::add);
    others.clear();
    return false;
  }

  private static @Nullable Thread threadOf(BornThread turn) {
    Thread known = turn.thread();
    return known == null ? VirtualThreads.threadOf(turn.turn()) : known;
  }

  /// Those that have not ended, in the order of their first turns.
  public List<Thread> alive() {
    return List.copyOf(alive);
  }

  /// Has the JDK forget them all.
  ///
  /// @param step runs a step, after whose failure the next one follows
  public void drop(Consumer<Runnable> step) {
    alive.forEach(thread -> step.accept(() -> VirtualThreads.forget(thread)));
    alive.clear();
  }
}
