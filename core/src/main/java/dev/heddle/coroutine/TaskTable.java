// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.coroutine.Outcomes.Outcome;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.internal.Rethrow;
import dev.heddle.internal.StackGuard;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.WaitQueue;
import dev.heddle.scheduler.WaitQueue.Waiter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The tasks of a [TaskGroup], its slots, and the coroutines that wait for either.
final class TaskTable<T extends @Nullable Object> {
  /*
   * States of a task.
   *   from      event                                  to        who
   *   -         spawn()                                PENDING   the spawner
   *   PENDING   a slot is free, or is given to it      RUNNING   the spawner
   *   PENDING   cancellation, deadline, token, close() -         the spawner, whose spawn() throws
   *   PENDING   another task was first in a race       ENDED     the spawner, woken for it
   *   RUNNING   its coroutine has ended                ENDED     the coroutine, in a notification
   *   ENDED     a join method                          -         the joiner
   *
   * A race wakes the spawners that wait for a slot: their tasks have lost, so they never start, and
   * spawn() returns a future that is cancelled. A task whose spawner was given a slot, and has not
   * continued, loses in the same way, and the slot goes to the next one.
   *
   * A slot is taken before the coroutine exists, and returned when the coroutine has ended, however
   * long its clean-up takes. A slot that is returned goes to the oldest spawner that waits, which
   * counts from that moment; if that spawner leaves without it, it goes to the next one.
   *
   * An ended task that was given to a joiner is reserved: no other joiner gets it. It leaves the
   * group when the joiner continues. If the joiner's wait ends otherwise, the task is free again,
   * and goes to the oldest joiner that waits.
   *
   * The outcome of a task is a Future, which reports a failure that no caller observes. A future is
   * cancelled at once, while the coroutine may still clean up; the task has ended when the
   * coroutine has.
   *
   * Active tasks are those that are pending or running. The tasks' scope exists while there are
   * any: see TaskScope.
   *
   * Threads. The loop's.
   *
   * I1. running <= limit. While a spawner waits they are equal, or the group is closed.
   *     [TaskGroupModelTest]
   * I2. While a joiner waits, every ended task is reserved for another one. [TaskGroupModelTest]
   * I3. Each task is joined at most once, and none is lost. [TaskGroupModelTest]
   *
   * Rejected. A queue of tasks instead of a spawner that waits: it grows without a limit. A failure
   * that cancels the other tasks: a scope does that. A linked list: an iterator whose place is
   * removed by a joiner then needs to be found and moved.
   *
   * Sources. loop-196 to loop-210; trap-1, trap-3, trap-7, trap-18, trap-24; Tokio's JoinSet,
   * Kotlin's awaitAll, Python's as_completed.
   */
  static final int UNLIMITED = Integer.MAX_VALUE;
  private static final String LOST = "another task of the group was first";

  final Scheduler home;
  private final TaskScope scope;
  private final @Nullable String name;
  private final int limit;
  private final Moment idle; // no task is pending or running any more
  private final Moment changes; // a task has ended or left, or the group is closed

  // loop only
  final NavigableMap<Long, Task> tasks = new TreeMap<>(); // in the order of the spawns
  final NavigableMap<Long, Task> ended = new TreeMap<>(); // of these, in the order of their ends
  private final Map<Object, Task> byKey = new HashMap<>();
  private long spawns;
  private long ends;
  private int nextKey;
  private int active; // pending or running
  private int running; // slots taken
  private boolean closed;
  private @Nullable String closedBy; // null: by no coroutine
  private @Nullable Waiters spawners; // null: none has ever waited
  private @Nullable Waiters joiners;

  TaskTable(@Nullable String name, int concurrency) {
    if (concurrency < 1) {
      throw new IllegalArgumentException(
          "a group of " + concurrency + " tasks at a time would never run one; give at least 1");
    }
    CoroutineNode<?> self = CoroutineNode.current();
    this.home = self.scheduler();
    this.name = name;
    this.limit = concurrency;
    this.idle = new Moment();
    this.changes = new Moment();
    this.scope = new TaskScope(self.currentScope(), this::closeNow);
  }

  // ---- spawning ----

  Integer freeKey() {
    while (byKey.containsKey(nextKey)) {
      nextKey++;
    }
    return nextKey;
  }

  Future<T> spawn(Object key, Body<T> body, Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = current();
    Task task = add(key, body);
    if (!takeSlot(task)) {
      awaitSlot(self, task, deadline, token);
    }
    return task.lost ? endUnstarted(task) : start(task, body);
  }

  @Nullable Future<T> trySpawn(Object key, Body<T> body) {
    current();
    check(key, body);
    return hasSlot() ? spawn(key, body, Deadline.never(), null) : null;
  }

  private void check(Object key, Body<T> body) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(body, "body");
    if (closed) {
      current().checkCancelled(); // by the end of its scope, perhaps, which has closed the group
      throw takesNoMore();
    }
    if (byKey.containsKey(key)) {
      throw new IllegalArgumentException(
          "Duplicate key " + key + " in TaskGroup; a task keeps its key until it is joined");
    }
  }

  private Task add(Object key, Body<T> body) {
    check(key, body);
    // an overflow half-way would leave a task that never ends; it also suffices to give up here
    StackGuard.requireRoom();
    scope.open(); // first: it may throw
    Task task = new Task(key, spawns++);
    tasks.put(task.number, task);
    byKey.put(key, task);
    active++;
    return task;
  }

  private void awaitSlot(
      CoroutineNode<?> self, Task task, Deadline deadline, @Nullable EventSource token) {
    Waiters queue = spawners;
    if (queue == null) {
      queue = new Waiters("a slot of ");
      spawners = queue;
    }
    Waiter waiter = new Waiter(queue, home, task);
    task.spawner = waiter;
    try {
      queue.await(waiter, self, deadline, token);
    } catch (Throwable e) {
      if (!home.hasEnded()) { // else the caller now runs on a JDK thread, perhaps beside others
        queue.remove(waiter);
        giveUp(task);
      }
      throw e;
    }
    task.spawner = null;
    if (waiter.item() == null) {
      giveUp(task);
      throw takesNoMore();
    }
  }

  private void giveUp(Task task) {
    forget(task);
    left(task);
  }

  private boolean hasSlot() {
    return running < limit; // then no spawner waits (I1)
  }

  private boolean takeSlot(Task task) {
    task.hasSlot = hasSlot();
    running += task.hasSlot ? 1 : 0;
    return task.hasSlot;
  }

  private void giveSlots() {
    WaitQueue queue = spawners;
    Waiter oldest = queue == null ? null : queue.peek();
    while (queue != null && oldest != null && takeSlot(taskOf(oldest))) {
      queue.remove(oldest);
      oldest.serve(oldest.item(), 0);
      oldest = queue.peek();
    }
  }

  @SuppressWarnings("unchecked") // spawners wait with their tasks
  private Task taskOf(Waiter spawner) {
    return (Task) Objects.requireNonNull(spawner.item());
  }

  private Future<T> start(Task task, Body<T> body) {
    try {
      if (closed) {
        throw takesNoMore();
      }
      StackGuard.requireRoom(); // an overflow half-way would leave a task that never ends
      String label = label(task);
      Scope in = scope.open();
      Coroutine<T> coroutine = label == null ? in.spawn(body) : in.spawn(label, body);
      task.outcome =
          label == null
              ? Future.of(coroutine, coroutine::cancel)
              : Future.of(label, coroutine, coroutine::cancel);
      task.coroutine = coroutine;
      coroutine.event().subscribe(task); // after the future, which then has the outcome
      return task.outcome;
    } catch (Throwable e) {
      giveUp(task);
      throw e;
    }
  }

  private Future<T> endUnstarted(Task task) {
    String label = label(task);
    Promise<T> promise = label == null ? new Promise<>() : new Promise<>(label);
    promise.fail(new Cancellation(LOST));
    Future<T> outcome = promise.future();
    task.outcome = outcome;
    taskEnded(task);
    return outcome;
  }

  private @Nullable String label(Task task) {
    if (name != null) {
      return name + "[" + task.key + "]";
    }
    return task.key instanceof Integer ? null : task.key.toString();
  }

  // ---- the end of a task ----

  private void taskEnded(Task task) {
    task.ended = true;
    task.endNumber = ends++;
    ended.put(task.endNumber, task);
    left(task);
    giveTasks();
    task.end.fireNow();
  }

  /// Called when a task is no longer active.
  private void left(Task task) {
    active--;
    if (task.hasSlot) {
      task.hasSlot = false;
      running--;
      giveSlots();
    }
    changes.fireNow();
    if (active == 0) {
      idle.fireNow();
      dropScope();
    }
  }

  // the awaiters are in the ready queue by now, so they continue before the handlers run
  private void dropScope() {
    if (active == 0 && scope.drop(closed)) {
      closeNow();
    }
  }

  /// Removes a task and its outcome.
  void forget(Task task) {
    tasks.remove(task.number);
    byKey.remove(task.key);
    ended.remove(task.endNumber);
    if (tasks.isEmpty()) {
      refuse(joiners);
    }
    changes.fireNow();
    task.end.fireNow();
  }

  // ---- waiting ----

  void awaitIdle(Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = current();
    while (active > 0) {
      self.awaitEvent(idle, deadline, token);
    }
  }

  /// Waits until a task has ended or left, or the group was closed.
  void awaitChange(Deadline deadline, @Nullable EventSource token) {
    current().awaitEvent(changes, deadline, token);
  }

  /// Waits until a task was spawned and has ended, or the group was closed.
  void awaitNext() {
    CoroutineNode<?> self = current();
    StackGuard.requireRoom(); // an overflow half-way would leave a hold
    scope.hold();
    try {
      self.awaitEvent(changes, Deadline.never(), null);
    } finally {
      if (!home.hasEnded()) { // else the caller now runs on a JDK thread, perhaps beside others
        scope.release();
        dropScope();
      }
    }
  }

  void awaitEnd(Task task) {
    current().awaitEvent(task.end);
  }

  // ---- joining ----

  /// Removes the first task that has ended, or the next one that does.
  Task takeNext(Deadline deadline, @Nullable EventSource token) {
    CoroutineNode<?> self = current();
    home.consumeBudget(self); // first: it may throw
    StackGuard.requireRoom(); // an overflow half-way would lose a task, or leave joiners
    Task task = firstFree();
    if (task == null) {
      task = awaitTask(self, deadline, token);
    }
    forget(task);
    return task;
  }

  @SuppressWarnings("unchecked") // only a Task is given
  private Task awaitTask(CoroutineNode<?> self, Deadline deadline, @Nullable EventSource token) {
    if (tasks.isEmpty()) {
      throw noTasks();
    }
    Waiters queue = joiners;
    if (queue == null) {
      queue = new Waiters("the end of a task of ");
      joiners = queue;
    }
    Waiter waiter = new Waiter(queue, home, null);
    try {
      queue.await(waiter, self, deadline, token);
    } catch (Throwable e) {
      if (!home.hasEnded()) { // else the caller now runs on a JDK thread, perhaps beside others
        queue.remove(waiter);
        release((Task) waiter.item());
      }
      throw e;
    }
    if (waiter.item() == null) {
      throw noTasks();
    }
    return (Task) waiter.item();
  }

  private void release(@Nullable Task given) {
    if (given != null) {
      given.reserved = false;
      giveTasks();
    }
  }

  private @Nullable Task firstFree() {
    for (Task task : ended.values()) { // before it: one task for each joiner that was served
      if (!task.reserved) {
        return task;
      }
    }
    return null;
  }

  private void giveTasks() {
    WaitQueue queue = joiners;
    Waiter oldest = queue == null ? null : queue.peek();
    Task task = oldest == null ? null : firstFree();
    while (queue != null && oldest != null && task != null) {
      task.reserved = true;
      queue.remove(oldest);
      oldest.serve(task, 0);
      oldest = queue.peek();
      task = firstFree();
    }
  }

  // ---- closing ----

  void close() {
    StackGuard.requireRoom(); // an overflow half-way would leave spawners that never wake
    closedBy = closed ? closedBy : current().label();
    closeNow();
  }

  private void closeNow() {
    if (!closed) {
      closed = true;
      refuse(spawners);
      changes.fireNow();
      dropScope();
    }
  }

  void cancel(String why) {
    close();
    scope.cancel(why);
  }

  /// Calls `handler` when the group is closed and no task is active; if that is so, directly.
  void onCompletion(Action handler) {
    current();
    if (active > 0 || !isClosed()) {
      StackGuard.requireRoom(); // an overflow half-way would leave a hold
      scope.hold().onCompletion(_ -> handler.run());
      return;
    }
    try {
      handler.run();
    } catch (Exception e) {
      throw Rethrow.unchecked(CoroutineException.of(e));
    }
  }

  // a waiter that is served with nothing throws
  private static void refuse(@Nullable WaitQueue queue) {
    if (queue == null) {
      return;
    }
    for (Waiter waiter = queue.poll(); waiter != null; waiter = queue.poll()) {
      waiter.serve(null, 0);
    }
  }

  // ---- views ----

  boolean isClosed() {
    return closed || scope.isOver();
  }

  boolean isIdle() {
    return active == 0;
  }

  int running() {
    return running;
  }

  int waiting() {
    return spawners == null ? 0 : spawners.size();
  }

  String describe() {
    return name == null ? "a task group" : "the task group '" + name + "'";
  }

  String info() {
    String most = limit == UNLIMITED ? "any number" : String.valueOf(limit);
    return describe()
        + " with "
        + running
        + " of "
        + most
        + " running, "
        + ended.size()
        + " ended, "
        + waiting()
        + " waiting"
        + (isClosed() ? ", closed" : "");
  }

  NoSuchElementException noTasks() {
    return new NoSuchElementException("nothing to wait for: " + describe() + " has no tasks");
  }

  private IllegalStateException takesNoMore() {
    String how = closedBy == null ? "at the end of its scope" : "by " + closedBy;
    return new IllegalStateException(
        describe() + " was closed " + how + "; spawn before that, or create another group");
  }

  CoroutineNode<?> current() {
    CoroutineNode<?> self = CoroutineNode.current();
    if (self.scheduler() != home) {
      throw new IllegalStateException(
          describe() + " belongs to another loop; make one on each loop that needs it");
    }
    return self;
  }

  private Collection<Coroutine<?>> coroutines() {
    List<Coroutine<?>> all = new ArrayList<>();
    for (Task task : tasks.values()) {
      if (task.coroutine != null && !task.ended) {
        all.add(task.coroutine);
      }
    }
    return all;
  }

  // ---- parts ----

  /// A task; it is called back when its coroutine ends.
  final class Task implements InlineCallback {
    final Object key;
    final Moment end = new Moment(); // it has ended, or left the group

    // loop only
    private final long number;
    private long endNumber = -1;
    private boolean lost; // against the first one of a race
    private boolean ended;
    private boolean reserved; // for a joiner
    private boolean hasSlot;
    private @Nullable Waiter spawner; // null: it does not wait for a slot
    private @Nullable Coroutine<T> coroutine; // null: pending
    private @Nullable Future<T> outcome;

    private Task(Object key, long number) {
      this.key = key;
      this.number = number;
    }

    boolean hasEnded() {
      return ended;
    }

    /// Whether it was cancelled because another one was first.
    boolean hasLost() {
      return lost;
    }

    /// Whether it was given to a joiner that has not continued yet.
    boolean isReserved() {
      return reserved;
    }

    /// Its outcome; not for a pending task.
    Future<T> outcome() {
      return Objects.requireNonNull(outcome, "the task has not started");
    }

    @Nullable Throwable failure() {
      return outcome().failure();
    }

    /// Its outcome; a failure counts as observed from now on.
    Outcome<Object, T> observed() {
      Future<T> known = outcome();
      if (known.failure() != null) {
        var _ = known.ignore();
      }
      return new Outcome<>(key, known.result(), known.failure());
    }

    /// Cancels it, because another one was first in a race.
    void lose() {
      if (ended) {
        return;
      }
      lost = true;
      Waiter waiting = spawner;
      if (coroutine != null) {
        coroutine.cancel(LOST);
      } else if (waiting != null && spawners != null && !waiting.isServed()) {
        spawners.remove(waiting);
        waiting.serve(this, 0);
      }
    }

    // takes every failure, so none fails the scope; the future reports those that no caller reads
    @Override
    public boolean accepts() {
      return true;
    }

    @Override
    public void onEvent(Event event, @Nullable Object value, @Nullable Throwable failure) {
      if (home.hasEnded()) {
        return; // without the coroutine; no waiter can run any more
      }
      event.unsubscribe(this); // else the coroutine would hold the task
      coroutine = null;
      if (failure != null && failure != failure() && !(failure instanceof Cancellation)) {
        home.futures()
            .unobserved("a failure arrived after the cancellation of " + outcome, failure);
      }
      taskEnded(this);
    }
  }

  final class Moment extends EventSource {
    Moment() {
      super(home);
    }

    void fireNow() {
      fire(null, null);
    }

    @Override
    public String info() {
      return "tasks of " + TaskTable.this.info();
    }

    @Override
    public Collection<? extends Awaitable<?>> holders() {
      return coroutines();
    }
  }

  private final class Waiters extends WaitQueue {
    private final String what;

    Waiters(String what) {
      this.what = what;
    }

    @Override
    protected String info() {
      return what + TaskTable.this.info();
    }

    @Override
    protected Collection<? extends Awaitable<?>> holders() {
      return coroutines();
    }
  }
}
