// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.scheduler.context.ExecutionContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The coroutines and threads that wait in the JDK, in the order in which they first ran.
///
/// They are looked for when somebody asks how many they are, and only then: few choosers do.
///
/// **Thread** the loop's, with nothing mounted.
final class WaitingThreads implements Candidates {
  private final Map<Long, Coroutine<?>> coroutines;
  private final Map<Long, Thread> threads;
  private final List<Long> ids = new ArrayList<>();
  private final List<Thread> found = new ArrayList<>();
  private boolean known;

  /// @param coroutines that have run, by id
  /// @param threads that have run and are no coroutines, by id
  WaitingThreads(Map<Long, Coroutine<?>> coroutines, Map<Long, Thread> threads) {
    this.coroutines = coroutines;
    this.threads = threads;
  }

  @Override
  public int size() {
    if (!known) {
      known = true;
      coroutines.forEach((id, coroutine) -> add(id, threadInJdk(coroutine)));
      threads.forEach(this::add);
    }
    return ids.size();
  }

  @Override
  public long id(int place) {
    return ids.get(place);
  }

  Thread thread(int place) {
    return found.get(place);
  }

  /// They may be others from now on.
  void forget() {
    if (known) {
      known = false;
      ids.clear();
      found.clear();
    }
  }

  private void add(long id, @Nullable Thread thread) {
    if (thread == null) {
      return;
    }
    Thread.State state = thread.getState();
    if (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING) {
      ids.add(id);
      found.add(thread);
    }
  }

  // a coroutine that waits for its loop must not be woken
  private static @Nullable Thread threadInJdk(Coroutine<?> coroutine) {
    ExecutionContext context = ((CoroutineNode<?>) coroutine).context();
    return context != null && context.isActive() ? context.thread() : null;
  }
}
