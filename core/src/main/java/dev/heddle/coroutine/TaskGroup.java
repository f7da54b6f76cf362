// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.CompositeException;
import dev.heddle.coroutine.Outcomes.Outcome;
import dev.heddle.coroutine.TaskTable.Task;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.StackGuard;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Tasks of one kind, a limited number of them at a time, and their outcomes.
///
/// {@snippet class=dev.heddle.snippets.TaskGroupSnippetsTest region=all}
///
/// A task is a coroutine. It has a key: the one given to [#spawn(Object, Body)], else its number.
/// While as many tasks run as the group allows, [#spawn] suspends its caller.
///
/// | waits for | and | keeps the outcomes | removes them |
/// |---|---|---|---|
/// | all tasks | throws the failures together | [#all()] | [#joinAll()] |
/// | all tasks | leaves the failures out | [#allSuccessful()] | |
/// | one task | returns or throws its outcome | [#race()], cancels the others | [#joinNext()] |
/// | one success | leaves the failures out | [#any()], cancels the others | [#joinAny()] |
/// | each task | in the order of the spawns | [#iterator()] | |
/// | each task | in the order of their ends | [#asCompleted()] | [#joinNext()] again and again |
///
/// A group keeps each outcome until a `join` method removes it. A program that runs tasks without
/// end removes them.
///
/// The tasks run in a [child][Scope#child()] of the scope in which the group was created: that
/// scope waits for them, and cancels them when it is cancelled. When it ends, the group is closed.
/// **A failure of a task cancels nothing**; it stays with its task. If no caller reads it, it is
/// reported once, when the task is garbage or the loop ends. A cancelled task counts as a failed
/// one.
///
/// A group needs no [#close()] to be freed. A scope refers to the group while tasks run or a loop
/// over the outcomes waits. After [#onCompletion] it does so until the group is closed. [#close()]
/// says that no more tasks come, which [#awaitCompletion()] and the end of such a loop wait for. A
/// [#spawn] in a closed group throws an [IllegalStateException], as in the JDK's
/// `StructuredTaskScope`.
///
/// **Thread** the loop on which it was created. **Order** callers of [#spawn], and of the `join`
/// methods, are served in the order of arrival. **Cancelled** a wait that ends otherwise changes
/// nothing: the tasks continue, and an outcome that was given to a `join` which is cancelled before
/// it continues goes to the next one. A [#joinNext()] or [#joinAny()] that finds an outcome lets
/// others run at every 64th call. **Cost** a coroutine and a future for each task, and a logarithm
/// of the number of outcomes kept; a scope each time that a task runs after none did.
///
/// @param <T> the type of the results
/// @since 0.1
public final class TaskGroup<T extends @Nullable Object>
    implements Iterable<Outcome<Object, T>>, AutoCloseable {
  private final TaskTable<T> table; // has the protocol

  /// A group in the current scope whose tasks all run at once.
  ///
  /// @throws IllegalStateException outside a coroutine
  public TaskGroup() {
    this.table = new TaskTable<>(null, TaskTable.UNLIMITED);
  }

  /// A group in the current scope.
  ///
  /// @param concurrency the number of tasks that may run at a time, at least 1
  /// @throws IllegalStateException outside a coroutine
  public TaskGroup(int concurrency) {
    this.table = new TaskTable<>(null, concurrency);
  }

  /// A group in the current scope, with a name for dumps and reports; its tasks are named after it.
  ///
  /// @param concurrency the number of tasks that may run at a time, at least 1
  /// @throws IllegalStateException outside a coroutine
  public TaskGroup(String name, int concurrency) {
    this.table = new TaskTable<>(Objects.requireNonNull(name, "name"), concurrency);
  }

  // ---- spawning ----

  /// Starts a task, whose key is the next free number, from 0 on. **Suspends** while as many tasks
  /// run as the group allows.
  ///
  /// @return its outcome; to cancel it cancels the task. It is cancelled already, and the task
  ///   never started, if another task was first in a [#race()] or [#any()] while this call waited
  /// @throws Cancellation when the current coroutine is cancelled while it waits; no task was
  ///   started
  /// @throws IllegalStateException when the group is closed, also while it waits, when its scope
  ///   was cancelled, or when it belongs to another loop
  public Future<T> spawn(Body<T> body) {
    return table.spawn(table.freeKey(), body, Deadline.never(), null);
  }

  /// Starts a task, but waits no longer than a deadline. Otherwise as [#spawn(Body)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public Future<T> spawn(Body<T> body, Deadline deadline) {
    return table.spawn(table.freeKey(), body, deadline, null);
  }

  /// Starts a task, but waits no longer than until `token` fires. Otherwise as [#spawn(Body)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public Future<T> spawn(Body<T> body, Awaitable<?> token) {
    return table.spawn(table.freeKey(), body, Deadline.never(), EventSource.of(token));
  }

  /// Starts a task with a key. Otherwise as [#spawn(Body)].
  ///
  /// @throws IllegalArgumentException when another task of the group has that key
  public Future<T> spawn(Object key, Body<T> body) {
    return table.spawn(key, body, Deadline.never(), null);
  }

  /// Starts a task with a key, but waits no longer than a deadline. Otherwise as [#spawn(Object,
  /// Body)].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public Future<T> spawn(Object key, Body<T> body, Deadline deadline) {
    return table.spawn(key, body, deadline, null);
  }

  /// Starts a task with a key, but waits no longer than until `token` fires. Otherwise as
  /// [#spawn(Object, Body)].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public Future<T> spawn(Object key, Body<T> body, Awaitable<?> token) {
    return table.spawn(key, body, Deadline.never(), EventSource.of(token));
  }

  /// Starts a task if that needs no wait: if the group allows one more, and no spawner waits.
  /// **Suspends** never.
  ///
  /// @return its outcome; null when no task was started
  /// @throws IllegalStateException when the group is closed, or belongs to another loop
  public @Nullable Future<T> trySpawn(Body<T> body) {
    return table.trySpawn(table.freeKey(), body);
  }

  /// Starts a task with a key if that needs no wait. Otherwise as [#trySpawn(Body)].
  ///
  /// @throws IllegalArgumentException when another task of the group has that key
  public @Nullable Future<T> trySpawn(Object key, Body<T> body) {
    return table.trySpawn(key, body);
  }

  // ---- waiting ----

  /// Waits until no task runs and no spawner waits. **Suspends** until then.
  ///
  /// @return the results, in the order of the spawns; empty when there are no tasks
  /// @throws CompositeException when tasks failed, with every failure in the order of the spawns
  /// @throws Cancellation when the current coroutine is cancelled while it waits; the tasks
  ///   continue
  public List<T> all() {
    return all(Deadline.never(), null);
  }

  /// Waits for all tasks, at most until a deadline. Otherwise as [#all()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public List<T> all(Deadline deadline) {
    return all(deadline, null);
  }

  /// Waits for all tasks, at most until `token` fires. Otherwise as [#all()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public List<T> all(Awaitable<?> token) {
    return all(Deadline.never(), EventSource.of(token));
  }

  private List<T> all(Deadline deadline, @Nullable EventSource token) {
    table.awaitIdle(deadline, token);
    return resultsOf(List.copyOf(table.tasks.values()));
  }

  private List<T> resultsOf(List<TaskTable<T>.Task> all) {
    List<Throwable> failures = failuresOf(all);
    if (!failures.isEmpty()) {
      throw new CompositeException(
          failures.size() + " of " + all.size() + " tasks of " + table.describe() + " failed",
          failures);
    }
    List<T> results = new ArrayList<>(all.size());
    for (TaskTable<T>.Task task : all) {
      results.add(task.outcome().await()); // has ended, so this does not suspend
    }
    return Collections.unmodifiableList(results);
  }

  // they count as observed from now on
  private static <T extends @Nullable Object> List<Throwable> failuresOf(
      Collection<TaskTable<T>.Task> all) {
    List<Throwable> failures = new ArrayList<>();
    for (TaskTable<T>.Task task : all) {
      Throwable failure = task.failure();
      if (failure != null) {
        var _ = task.outcome().ignore();
        failures.add(failure);
      }
    }
    return failures;
  }

  /// Waits until no task runs and no spawner waits, and leaves the failures out; [#outcomes()] has
  /// them. **Suspends** until then.
  ///
  /// @return the results of the tasks that succeeded, in the order of the spawns
  /// @throws Cancellation when the current coroutine is cancelled while it waits; the tasks
  ///   continue
  public List<T> allSuccessful() {
    return allSuccessful(Deadline.never(), null);
  }

  /// Waits for all tasks, at most until a deadline. Otherwise as [#allSuccessful()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public List<T> allSuccessful(Deadline deadline) {
    return allSuccessful(deadline, null);
  }

  /// Waits for all tasks, at most until `token` fires. Otherwise as [#allSuccessful()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public List<T> allSuccessful(Awaitable<?> token) {
    return allSuccessful(Deadline.never(), EventSource.of(token));
  }

  private List<T> allSuccessful(Deadline deadline, @Nullable EventSource token) {
    table.awaitIdle(deadline, token);
    return outcomes().values();
  }

  /// Waits for the first task that ends, and cancels the others, also those whose spawner waits. If
  /// several have ended already, the one that was spawned first counts. **Suspends** until one has
  /// ended; not until the others have cleaned up: their scope waits for that, and so does
  /// [#awaitCompletion()]. Tasks that are spawned later are not cancelled.
  ///
  /// @return its result; if it failed, its failure is thrown
  /// @throws dev.heddle.CoroutineException when it failed with a checked exception
  /// @throws NoSuchElementException when the group has no tasks
  /// @throws Cancellation when the current coroutine is cancelled while it waits; the tasks
  ///   continue
  public T race() {
    return race(Deadline.never(), null);
  }

  /// Waits for the first task that ends, at most until a deadline. Otherwise as [#race()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public T race(Deadline deadline) {
    return race(deadline, null);
  }

  /// Waits for the first task that ends, at most until `token` fires. Otherwise as [#race()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public T race(Awaitable<?> token) {
    return race(Deadline.never(), EventSource.of(token));
  }

  private T race(Deadline deadline, @Nullable EventSource token) {
    return first(true, deadline, token);
  }

  /// Waits for the first task that succeeds, and cancels the others. If several have succeeded
  /// already, the one that was spawned first counts. Failures until then count as observed.
  /// Otherwise as [#race()].
  ///
  /// @throws CompositeException when all tasks failed, with every failure in the order of the
  ///   spawns
  /// @throws NoSuchElementException when the group has no tasks
  public T any() {
    return any(Deadline.never(), null);
  }

  /// Waits for the first task that succeeds, at most until a deadline. Otherwise as [#any()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public T any(Deadline deadline) {
    return any(deadline, null);
  }

  /// Waits for the first task that succeeds, at most until `token` fires. Otherwise as [#any()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public T any(Awaitable<?> token) {
    return any(Deadline.never(), EventSource.of(token));
  }

  private T any(Deadline deadline, @Nullable EventSource token) {
    return first(false, deadline, token);
  }

  private T first(boolean orFailed, Deadline deadline, @Nullable EventSource token) {
    table.current();
    TaskTable<T>.Task winner = find(table.tasks, orFailed);
    while (winner == null) {
      if (table.isIdle()) {
        throw noneSucceeded();
      }
      table.awaitChange(deadline, token);
      winner = find(table.ended, orFailed);
    }
    if (!orFailed) {
      var _ = failuresOf(table.ended.values());
    }
    StackGuard.requireRoom(); // an overflow half-way would leave others running
    table.tasks.values().forEach(Task::lose);
    return winner.outcome().await(); // has ended, so this does not suspend
  }

  private TaskTable<T>.@Nullable Task find(
      NavigableMap<Long, TaskTable<T>.Task> inOrder, boolean orFailed) {
    for (TaskTable<T>.Task task : inOrder.values()) {
      if (task.hasEnded() && !task.hasLost() && (orFailed || task.failure() == null)) {
        return task;
      }
    }
    return null;
  }

  private RuntimeException noneSucceeded() {
    List<TaskTable<T>.Task> all = new ArrayList<>(table.tasks.values());
    all.removeIf(Task::hasLost);
    List<Throwable> failures = failuresOf(all);
    return failures.isEmpty()
        ? table.noTasks()
        : new CompositeException(
            "all " + failures.size() + " tasks of " + table.describe() + " failed", failures);
  }

  // ---- joining: the outcome leaves the group ----

  /// Waits for the next task that ends, and removes it. **Suspends** unless one has ended already.
  ///
  /// @return its result; if it failed, its failure is thrown
  /// @throws dev.heddle.CoroutineException when it failed with a checked exception
  /// @throws NoSuchElementException when the group has no tasks, or other joiners have got them
  /// @throws Cancellation when the current coroutine is cancelled while it waits; no outcome is
  ///   lost
  public T joinNext() {
    return joinNext(Deadline.never(), null);
  }

  /// Waits for the next task that ends, at most until a deadline. Otherwise as [#joinNext()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public T joinNext(Deadline deadline) {
    return joinNext(deadline, null);
  }

  /// Waits for the next task that ends, at most until `token` fires. Otherwise as [#joinNext()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public T joinNext(Awaitable<?> token) {
    return joinNext(Deadline.never(), EventSource.of(token));
  }

  private T joinNext(Deadline deadline, @Nullable EventSource token) {
    return table.takeNext(deadline, token).outcome().await(); // has ended: does not suspend
  }

  /// Waits for the next task that succeeds, and removes it, and those that fail before it. If the
  /// wait itself throws, the report of that names their failures. Otherwise as [#joinNext()].
  ///
  /// @throws CompositeException when all tasks failed, with every failure in the order of their
  ///   ends
  /// @throws NoSuchElementException when the group has no tasks
  public T joinAny() {
    return joinAny(Deadline.never(), null);
  }

  /// Waits for the next task that succeeds, at most until a deadline. Otherwise as [#joinAny()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public T joinAny(Deadline deadline) {
    return joinAny(deadline, null);
  }

  /// Waits for the next task that succeeds, at most until `token` fires. Otherwise as [#joinAny()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public T joinAny(Awaitable<?> token) {
    return joinAny(Deadline.never(), EventSource.of(token));
  }

  private T joinAny(Deadline deadline, @Nullable EventSource token) {
    List<TaskTable<T>.Task> failed = new ArrayList<>();
    TaskTable<T>.Task task = nextOrThrow(failed, deadline, token);
    while (task.failure() != null) {
      failed.add(task);
      task = nextOrThrow(failed, deadline, token);
    }
    var _ = failuresOf(failed);
    return task.outcome().await(); // has ended, so this does not suspend
  }

  private TaskTable<T>.Task nextOrThrow(
      List<TaskTable<T>.Task> failed, Deadline deadline, @Nullable EventSource token) {
    try {
      return table.takeNext(deadline, token);
    } catch (Throwable e) {
      List<Throwable> failures = failuresOf(failed);
      if (e instanceof NoSuchElementException && !failures.isEmpty()) {
        throw new CompositeException(
            "all " + failures.size() + " tasks of " + table.describe() + " failed", failures);
      }
      failures.forEach(failure -> FailureTable.merge(e, failure));
      throw e;
    }
  }

  /// Waits until no task runs and no spawner waits, and removes all tasks. **Suspends** until then.
  ///
  /// @return the results, in the order of the spawns; empty when there are no tasks
  /// @throws CompositeException when tasks failed, with every failure in the order of the spawns
  /// @throws Cancellation when the current coroutine is cancelled while it waits; no outcome is
  ///   lost
  public List<T> joinAll() {
    return joinAll(Deadline.never(), null);
  }

  /// Waits for all tasks, at most until a deadline. Otherwise as [#joinAll()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public List<T> joinAll(Deadline deadline) {
    return joinAll(deadline, null);
  }

  /// Waits for all tasks, at most until `token` fires. Otherwise as [#joinAll()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public List<T> joinAll(Awaitable<?> token) {
    return joinAll(Deadline.never(), EventSource.of(token));
  }

  private List<T> joinAll(Deadline deadline, @Nullable EventSource token) {
    StackGuard.requireRoom(); // an overflow half-way would lose outcomes
    table.awaitIdle(deadline, token);
    List<TaskTable<T>.Task> all = new ArrayList<>(table.tasks.values());
    all.removeIf(Task::isReserved); // their joiners continue after this
    all.forEach(table::forget);
    return resultsOf(all);
  }

  // ---- one after the other ----

  /// The outcomes in the order of the spawns. `hasNext()` **suspends** until the next task has
  /// ended; when there is none, until another task is spawned or the group is closed. The outcomes
  /// stay in the group. A failure that was returned counts as observed.
  @Override
  public Iterator<Outcome<Object, T>> iterator() {
    return new TaskItems<>(table, TaskItems.Order.OF_SPAWNS);
  }

  /// The outcomes in the order in which the tasks end. Otherwise as [#iterator()].
  public Iterable<Outcome<Object, T>> asCompleted() {
    return () -> new TaskItems<>(table, TaskItems.Order.OF_ENDS);
  }

  // ---- the end ----

  /// Takes no more tasks. Those that run continue; a [#spawn] that waits throws. **Suspends**
  /// never: the scope of the group waits for the tasks, and so does [#awaitCompletion()].
  @Override
  public void close() {
    table.current();
    table.close();
  }

  /// Takes no more tasks, and cancels those that run. **Suspends** never; [#awaitCompletion()]
  /// waits until they have cleaned up.
  public void cancel(String why) {
    table.current();
    table.cancel(why);
  }

  /// Waits until a closed group has no task that runs. A failure of a task is not thrown, and stays
  /// with the task. **Suspends** until then.
  ///
  /// @throws IllegalStateException when the group is not closed: it might get another task
  /// @throws Cancellation when the current coroutine is cancelled while it waits; the tasks
  ///   continue
  public void awaitCompletion() {
    awaitCompletion(Deadline.never(), null);
  }

  /// Waits for the completion, at most until a deadline. Otherwise as [#awaitCompletion()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public void awaitCompletion(Deadline deadline) {
    awaitCompletion(deadline, null);
  }

  /// Waits for the completion, at most until `token` fires. Otherwise as [#awaitCompletion()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public void awaitCompletion(Awaitable<?> token) {
    awaitCompletion(Deadline.never(), EventSource.of(token));
  }

  private void awaitCompletion(Deadline deadline, @Nullable EventSource token) {
    if (!table.isClosed()) {
      throw new IllegalStateException(
          table.describe() + " is open, so it might get another task; close() it first");
    }
    table.awaitIdle(deadline, token);
  }

  /// Calls `handler` in a coroutine of its own when the group is closed and no task runs any more,
  /// or its scope has ended: after the coroutines that wait for it have continued. If that was
  /// before, calls it directly. The scope refers to the group until then.
  public void onCompletion(CompletionHandler<? super TaskGroup<T>> handler) {
    Objects.requireNonNull(handler, "handler");
    table.onCompletion(() -> handler.onCompletion(this));
  }

  // ---- views ----

  /// The outcomes of the tasks that have ended and were not joined, by their keys. The failures
  /// count as observed. **Suspends** never.
  public Outcomes<Object, T> outcomes() {
    List<Outcome<Object, T>> inOrder = new ArrayList<>();
    for (TaskTable<T>.Task task : table.tasks.values()) {
      if (task.hasEnded()) {
        inOrder.add(task.observed());
      }
    }
    return new Outcomes<>(inOrder, table.ended.values().stream().map(Task::observed).toList());
  }

  /// The number of tasks: those whose spawner waits, those that run, and those that have ended and
  /// were not joined.
  public int size() {
    return table.tasks.size();
  }

  /// The number of tasks that run.
  public int running() {
    return table.running();
  }

  /// The number of callers of [#spawn] that wait for another task to end.
  public int waiting() {
    return table.waiting();
  }

  /// Whether no task runs and no spawner waits; true for a group without tasks.
  public boolean isDone() {
    return table.isIdle();
  }

  /// Whether it takes no more tasks, because it was closed, or its scope has ended.
  public boolean isClosed() {
    return table.isClosed();
  }

  /// One line for reports: name, number of tasks that run, have ended, and wait for a slot.
  public String info() {
    return table.info();
  }

  @Override
  public String toString() {
    return info();
  }
}
