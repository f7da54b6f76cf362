// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.event.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Where each task of a random program of a task group is, and what must hold of that at its end.
/// The tasks have numbers, in the order in which the spawns were called.
final class TaskGroupLedger {
  /// Why the program cancels the whole group.
  static final String BY_GROUP = "the group is cancelled";

  private static final String BY_TASK = "task ";
  private static final String BY_RACE = "another task of the group was first";

  /// The failure of a task, which names it.
  static final class TaskFailed extends RuntimeException {
    private static final long serialVersionUID = 1;
    final int task;

    TaskFailed(int task) {
      super("task " + task + " failed", null, false, false);
      this.task = task;
    }
  }

  private final Map<Integer, Future<Integer>> handles = new TreeMap<>(); // spawn() has returned
  private final Map<Integer, Integer> begun = new HashMap<>(); // task to how often
  private final Set<Integer> active = new HashSet<>(); // spawn() was called; not ended, refused
  private final Set<Integer> lost = new HashSet<>(); // against another task
  private final Set<Integer> refused = new HashSet<>();
  private final List<Integer> joined = new ArrayList<>();
  private int numbers;
  private int unnamed; // joined cancellations that do not name their task
  private int dropped; // results of a joinAll() that threw
  private boolean skips; // a joinAny() may have joined failures that it does not name

  // ---- spawning ----

  /// A spawn is called.
  int called() {
    int task = numbers++;
    active.add(task);
    return task;
  }

  /// A spawn has returned; null: it has thrown, or there was no slot.
  void spawned(int task, @Nullable Future<Integer> handle) {
    if (handle == null) {
      active.remove(task);
      refused.add(task);
    } else {
      handles.put(task, handle);
    }
  }

  /// A task runs.
  void begins(int task) {
    begun.merge(task, 1, Integer::sum);
  }

  /// A task runs no more, or its spawner has lost.
  void ends(int task) {
    active.remove(task);
  }

  boolean isActive(int task) {
    return active.contains(task);
  }

  boolean hasLost(int task) {
    return lost.contains(task);
  }

  boolean haveLost(Set<Object> tasks) {
    return lost.containsAll(tasks);
  }

  /// A race was won, and no coroutine has run since. Returns whether another task was cancelled.
  boolean loseAllOthers() {
    lost.addAll(active); // with those whose futures are cancelled and that still clean up
    active.removeIf(task -> handles.containsKey(task) && handles.get(task).isDone());
    return !active.isEmpty();
  }

  /// Cancels the future of any task.
  void cancelAny(Random random) {
    List<Integer> tasks = List.copyOf(handles.keySet());
    if (!tasks.isEmpty()) {
      Integer task = tasks.get(random.nextInt(tasks.size()));
      handles.get(task).cancel(BY_TASK + task);
    }
  }

  // ---- joining ----

  void joined(int task) {
    joined.add(task);
  }

  void joinedAll(List<Integer> tasks) {
    joined.addAll(tasks);
  }

  /// A joinAny() has succeeded; it does not name the failures before its result.
  void joinedAny(int task) {
    joined.add(task);
    skips = true;
  }

  /// A joinAll() has thrown, and has so dropped results.
  void dropped(int results) {
    dropped += results;
  }

  /// A join has thrown the failure of a task.
  void failed(Throwable failure) {
    if (failure instanceof TaskFailed failed) {
      joined.add(failed.task);
    } else if (failure instanceof Cancellation cancelled) {
      cancelled(cancelled);
    } else {
      throw new AssertionError("not of a task", failure);
    }
  }

  /// A join has thrown a cancellation; throws it on if it is that of the worker itself.
  void cancelled(Cancellation outcome) {
    String why = String.valueOf(outcome.getMessage());
    if (why.startsWith(BY_TASK)) {
      joined.add(Integer.parseInt(why.substring(BY_TASK.length())));
    } else if (isOfATask(outcome)) {
      unnamed++;
    } else {
      throw outcome;
    }
  }

  /// Whether a task was cancelled, not the worker that waits for it.
  static boolean isOfATask(Cancellation outcome) {
    String why = String.valueOf(outcome.getMessage());
    return why.startsWith(BY_TASK) || why.equals(BY_RACE) || why.equals(BY_GROUP);
  }

  // ---- at the end ----

  /// Each task was joined once or is in the group, and none is lost.
  void verify(Outcomes<Object, Integer> left) {
    List<Object> found = new ArrayList<>(joined);
    found.addAll(left.completionOrder());
    assertThat(found).as("doubled").doesNotHaveDuplicates();
    assertThat(found).as("joined though refused").allMatch(handles::containsKey);
    Set<Integer> missing = new HashSet<>(handles.keySet());
    missing.removeAll(found);
    long results = missing.stream().filter(task -> handles.get(task).failure() == null).count();
    assertThat(results).as("results lost").isEqualTo(dropped);
    long failures = missing.size() - results;
    if (skips) {
      assertThat(failures).as("failures lost").isGreaterThanOrEqualTo(unnamed);
    } else {
      assertThat(failures).as("failures lost").isEqualTo(unnamed);
    }
  }

  /// No task runs or has run twice, also after a shutdown.
  void verifyEnded() {
    assertThat(begun.values()).as("begun twice").allMatch(times -> times == 1);
    assertThat(refused).as("refused and begun").noneMatch(begun::containsKey);
    assertThat(handles.values()).allMatch(Future::isDone);
  }
}
