// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Cancellation;
import dev.heddle.CompositeException;
import dev.heddle.DeadlineException;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.TaskGroupLedger.TaskFailed;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import dev.heddle.scheduler.WakerStatus;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A random program of coroutines that spawn tasks, race them and join them: with and without
/// waiting, with tokens, deadlines, cancellations, a close and a shutdown at any step. It runs in
/// virtual time, so that a seed repeats it.
///
/// Each task has a number, so that a ledger can say where it is. When no coroutine can run, the
/// main one checks that every wait has its reason, and only then lets a task go on.
final class TaskGroupProgram {
  private static final int WORKERS = 6;
  private static final int STEPS = 8;

  /// What many programs have met. Else they would prove nothing.
  enum Met {
    SLOT_WAITED_FOR,
    WAIT_ENDED_OTHERWISE,
    JOINER_SERVED,
    SPAWNER_GIVEN_A_SLOT_AND_CANCELLED,
    JOINER_GIVEN_A_TASK_AND_CANCELLED,
    RACE_WON_OVER_OTHERS,
    RACE_WON_OVER_A_SPAWNER_THAT_WAITS,
    SKIPPED_BY_JOIN_ANY,
    /// No coroutine could run.
    REST,
    SHUTDOWN
  }

  private enum Doing {
    NOTHING,
    SPAWN,
    JOIN,
    JOIN_ANY,
    RACE,
    ANY,
    ALL
  }

  private static final class Worker {
    @Nullable Coroutine<?> coroutine;
    @Nullable Promise<String> token; // of the wait it is in
    Doing doing = Doing.NOTHING;
    int task; // that it spawns
    int ticket; // when its wait began
    boolean cancelled;

    /// Whether its wait is over, by what it waits for, and it has not run since.
    boolean isWoken() {
      return doing != Doing.NOTHING
          && !cancelled
          && (token == null || !token.isDone())
          && coroutine instanceof CoroutineNode<?> node
          && node.status() != WakerStatus.WAITING;
    }
  }

  private final boolean shutsDown;
  private final Random random;
  private final int limit;
  private final List<Worker> workers = new ArrayList<>();
  private final List<Promise<String>> gates = new ArrayList<>(); // that tasks wait for
  private final TaskGroupLedger ledger = new TaskGroupLedger();
  private final List<String> violations = new ArrayList<>();
  private final Map<Met, Integer> met;
  private @Nullable TaskGroup<Integer> made;
  private @Nullable Throwable broken; // what a worker did not expect
  private int tickets;
  private int lastSpawner = -1; // ticket of the one that was served last
  private int lastJoiner = -1;
  private int inTasks;
  private int steps; // of all: tells whether others ran during a call
  private int events; // each time that a coroutine runs
  private int eventsAtRest = -1;
  private boolean shutDown;

  private TaskGroupProgram(long seed, boolean shutsDown, Map<Met, Integer> met) {
    this.shutsDown = shutsDown;
    this.met = met;
    this.random = new Random(seed);
    this.limit = 1 + (int) (seed % 3);
  }

  /// Runs one.
  ///
  /// @param met counts what it has met
  static void run(long seed, boolean shutsDown, Map<Met, Integer> met) {
    TaskGroupProgram program = new TaskGroupProgram(seed, shutsDown, met);
    try {
      program.run();
    } catch (RuntimeException | Error e) {
      throw new AssertionError("seed " + seed + ", -Dheddle.seed=" + seed + " repeats it", e);
    }
  }

  private void run() {
    try {
      VirtualTime.run(this::play);
    } catch (Cancellation e) {
      if (!shutDown) {
        throw e;
      }
      count(Met.SHUTDOWN, 1);
    }
    verifyEnd();
  }

  private void play() {
    Heddle.supervise(s -> {
      TaskGroup<Integer> group = new TaskGroup<>(limit);
      made = group;
      for (int i = 0; i < WORKERS; i++) {
        Worker worker = new Worker();
        workers.add(worker);
        worker.coroutine = s.spawn(() -> live(worker, group));
      }
      while (workers.stream().anyMatch(w -> !w.coroutine.isDone())) {
        Heddle.delay(Duration.ofNanos(3)); // virtual: over when no other coroutine is ready
        atRest(group);
      }
      group.close();
      while (!group.isDone()) {
        openGate();
        Heddle.delay(Duration.ofNanos(3));
      }
      group.awaitCompletion();
      assertThat(broken).isNull();
      ledger.verify(group.outcomes());
      Heddle.yieldNow();
      assertThat(s.children()).as("the group's scope").isEmpty();
      return null;
    });
  }

  // ---- nobody can run ----

  private void atRest(TaskGroup<Integer> group) {
    int before = events;
    Heddle.yieldNow();
    if (events != before) {
      return; // others became ready in the same instant
    }
    count(Met.REST, 1);
    Outcomes<Object, Integer> outcomes = group.outcomes();
    boolean noneLeft = outcomes.completionOrder().isEmpty();
    boolean onlyLosers =
        outcomes.results().isEmpty() && ledger.haveLost(outcomes.failures().keySet());
    for (Worker one : workers) {
      switch (one.doing) {
        case SPAWN -> check(group.running() == limit, "a spawner waits though a slot is free");
        case JOIN, JOIN_ANY -> check(noneLeft && group.size() > 0, "a joiner is forgotten");
        case RACE -> check(onlyLosers && !group.isDone(), "a racer is forgotten");
        case ANY ->
            check(outcomes.results().isEmpty() && !group.isDone(), "a waiter for any forgotten");
        case ALL -> check(!group.isDone(), "a waiter for all is forgotten");
        case NOTHING -> {}
      }
    }
    check(group.waiting() == 0 || group.running() == limit, "slot kept"); // I1
    if (!gates.isEmpty()) {
      openGate();
    } else {
      check(
          events > eventsAtRest,
          "all wait, and for no task: "
              + group
              + workers.stream().map(one -> one.doing + " " + one.coroutine).toList());
    }
    eventsAtRest = events;
    assertThat(violations).isEmpty();
  }

  private void openGate() {
    if (!gates.isEmpty()) {
      gates.remove(random.nextInt(gates.size())).complete("go on");
    }
  }

  // ---- workers ----

  private void live(Worker self, TaskGroup<Integer> group) {
    try {
      for (int step = 0; step < STEPS; step++) {
        steps++;
        events++;
        act(self, group);
        check(group.running() <= limit, "too many slots taken");
        check(group.waiting() == 0 || group.running() == limit, "slot kept"); // I1
      }
    } catch (Throwable e) {
      boolean expected = e instanceof Cancellation && (self.cancelled || shutDown);
      if (!expected && broken == null) {
        broken = e;
      }
      throw e;
    } finally {
      events++;
    }
  }

  private void act(Worker self, TaskGroup<Integer> group) {
    try {
      switch (random.nextInt(22)) {
        case 0, 1, 2, 3, 4, 5 -> spawn(self, group);
        case 6 -> trySpawn(group);
        case 7, 8, 9 -> joinNext(self, group);
        case 10 -> joinAny(self, group);
        case 11 -> joinAll(self, group);
        case 12 -> all(self, group);
        case 13 -> first(self, group, Doing.RACE);
        case 14 -> first(self, group, Doing.ANY);
        case 15, 16, 17 -> interfere(group);
        case 18 -> Heddle.delay(Duration.ofNanos(1 + random.nextInt(3)));
        default -> Heddle.yieldNow();
      }
    } catch (WaitCancelledException | DeadlineException _) {
      count(Met.WAIT_ENDED_OTHERWISE, 1);
    }
  }

  private <R extends @Nullable Object> R bounded(
      Worker self,
      Doing what,
      Supplier<R> plain,
      Function<Deadline, R> byDeadline,
      Function<Awaitable<?>, R> byToken) {
    self.doing = what;
    self.ticket = tickets++;
    try {
      return switch (random.nextInt(3)) {
        case 0 -> plain.get();
        case 1 -> byDeadline.apply(Deadline.after(Duration.ofNanos(1 + random.nextInt(9))));
        default -> {
          self.token = new Promise<>();
          yield byToken.apply(self.token.future());
        }
      };
    } finally {
      self.doing = Doing.NOTHING;
      self.token = null;
      events++;
    }
  }

  private void spawn(Worker self, TaskGroup<Integer> group) {
    int task = ledger.called();
    self.task = task;
    int before = steps;
    boolean mayThrow = group.isClosed();
    Future<Integer> handle = null;
    try {
      handle =
          this.<Future<Integer>>bounded(
              self,
              Doing.SPAWN,
              () -> group.spawn(task, () -> work(task)),
              deadline -> group.spawn(task, () -> work(task), deadline),
              token -> group.spawn(task, () -> work(task), token));
    } catch (IllegalStateException e) {
      check(mayThrow || group.isClosed(), "refused by an open group: " + e);
    } finally {
      ledger.spawned(task, handle);
    }
    if (ledger.hasLost(task)) {
      check(handle == null || handle.isCancelled(), "a spawner that has lost started its task");
      ledger.ends(task);
    } else if (steps > before && handle != null) {
      count(Met.SLOT_WAITED_FOR, 1);
      check(self.ticket > lastSpawner, "a spawner has overtaken another");
      lastSpawner = self.ticket;
    }
  }

  private void trySpawn(TaskGroup<Integer> group) {
    boolean possible = group.running() < limit && !group.isClosed();
    int task = ledger.called();
    Future<Integer> handle = null;
    try {
      handle = group.trySpawn(task, () -> work(task));
      check(possible == (handle != null), "trySpawn");
    } catch (IllegalStateException e) {
      check(group.isClosed(), "refused by an open group: " + e);
    }
    ledger.spawned(task, handle);
  }

  // ---- tasks ----

  private int work(int task) {
    ledger.begins(task);
    inTasks++;
    events++;
    check(inTasks <= limit, "too many tasks run");
    check(!ledger.hasLost(task), "a task begins that has lost");
    try {
      for (int i = random.nextInt(4); i > 0; i--) {
        if (random.nextInt(3) == 0) {
          awaitGate();
        } else {
          Heddle.yieldNow();
        }
        steps++;
        events++;
      }
      check(!ledger.hasLost(task), "a task ends that was to be cancelled");
      if (!shutsDown && random.nextInt(4) == 0) {
        throw new TaskFailed(task);
      }
      return task;
    } finally {
      steps++;
      events++;
      inTasks--;
      ledger.ends(task);
    }
  }

  private void awaitGate() {
    Promise<String> gate = new Promise<>();
    gates.add(gate);
    try {
      gate.future().await();
    } finally {
      gates.remove(gate);
    }
  }

  // ---- outcomes ----

  private void joinNext(Worker self, TaskGroup<Integer> group) {
    int before = steps;
    try {
      ledger.joined(
          this.<Integer>bounded(
              self, Doing.JOIN, group::joinNext, group::joinNext, group::joinNext));
    } catch (NoSuchElementException _) {
      return;
    } catch (TaskFailed e) {
      ledger.joined(e.task);
    } catch (Cancellation e) {
      ledger.cancelled(e);
    }
    if (steps > before) {
      count(Met.JOINER_SERVED, 1);
      check(self.ticket > lastJoiner, "a joiner has overtaken another");
      lastJoiner = self.ticket;
    }
  }

  private void joinAny(Worker self, TaskGroup<Integer> group) {
    int size = group.size();
    int before = steps;
    try {
      ledger.joinedAny(
          this.<Integer>bounded(
              self, Doing.JOIN_ANY, group::joinAny, group::joinAny, group::joinAny));
      count(Met.SKIPPED_BY_JOIN_ANY, steps > before ? 0 : size - 1 - group.size());
    } catch (NoSuchElementException _) {
      // nothing to join, and nothing skipped
    } catch (CompositeException e) {
      e.failures().forEach(ledger::failed);
    } catch (WaitCancelledException | DeadlineException | Cancellation e) {
      FailureReport report = Heddle.reportOf(e);
      if (report != null) {
        report.merged().forEach(ledger::failed);
      }
      throw e;
    }
  }

  private void joinAll(Worker self, TaskGroup<Integer> group) {
    try {
      ledger.joinedAll(
          this.<List<Integer>>bounded(
              self, Doing.ALL, group::joinAll, group::joinAll, group::joinAll));
    } catch (CompositeException e) {
      e.failures().forEach(ledger::failed);
      String[] words = e.getMessage().split(" "); // "2 of 3 tasks of a task group failed"
      ledger.dropped(Integer.parseInt(words[2]) - e.failures().size());
    }
  }

  private void all(Worker self, TaskGroup<Integer> group) {
    try {
      List<Integer> results =
          random.nextBoolean()
              ? this.<List<Integer>>bounded(self, Doing.ALL, group::all, group::all, group::all)
              : this.<List<Integer>>bounded(
                  self,
                  Doing.ALL,
                  group::allSuccessful,
                  group::allSuccessful,
                  group::allSuccessful);
      check(results.equals(results.stream().sorted().toList()), "out of order: " + results);
    } catch (CompositeException e) {
      check(!e.failures().isEmpty(), "failed without a failure");
    }
    check(group.isDone(), "not all have ended");
  }

  private void first(Worker self, TaskGroup<Integer> group, Doing what) {
    int winner;
    try {
      winner =
          what == Doing.RACE
              ? this.<Integer>bounded(self, what, group::race, group::race, group::race)
              : this.<Integer>bounded(self, what, group::any, group::any, group::any);
    } catch (NoSuchElementException _) {
      return;
    } catch (TaskFailed e) {
      check(what == Doing.RACE, "any() throws the failure of one");
      winner = e.task;
    } catch (CompositeException e) {
      check(what == Doing.ANY && group.isDone(), "race() throws several failures");
      return;
    } catch (Cancellation e) {
      if (!TaskGroupLedger.isOfATask(e)) {
        throw e;
      }
      winner = -1; // it was cancelled otherwise, and is no longer active
    }
    check(!ledger.hasLost(winner), "one that has lost is first: " + winner);
    check(!ledger.isActive(winner), "one that has not ended is first: " + winner);
    loseAllBut(group);
  }

  // nobody has run since the race was won
  private void loseAllBut(TaskGroup<Integer> group) {
    count(Met.RACE_WON_OVER_OTHERS, ledger.loseAllOthers() ? 1 : 0);
    for (Worker one : workers) {
      boolean pending = one.doing == Doing.SPAWN && ledger.isActive(one.task);
      count(Met.RACE_WON_OVER_A_SPAWNER_THAT_WAITS, pending ? 1 : 0);
    }
    check(group.waiting() == 0, "a spawner waits on after a race");
  }

  // ---- interference ----

  private void interfere(TaskGroup<Integer> group) {
    Worker one = workers.get(random.nextInt(WORKERS));
    switch (random.nextInt(10)) {
      case 0, 1 -> cancel(one, group);
      case 2, 3, 4 -> {
        if (one.token != null) {
          var _ = one.token.tryComplete("enough");
        }
      }
      case 5 -> ledger.cancelAny(random);
      case 6 -> openGate();
      case 7 -> {
        if (random.nextInt(6) == 0) {
          group.close();
        }
      }
      case 8 -> {
        if (random.nextInt(12) == 0) {
          group.cancel(TaskGroupLedger.BY_GROUP);
        }
      }
      default -> {
        if (shutsDown && random.nextInt(2) == 0) {
          shutDown = true;
          Heddle.shutdown(Duration.ofSeconds(100));
        }
      }
    }
  }

  private void cancel(Worker one, TaskGroup<Integer> group) {
    if (one.coroutine == null || one.coroutine.isDone()) {
      return;
    }
    if (one.isWoken() && one.doing == Doing.SPAWN && !group.isClosed()) {
      count(Met.SPAWNER_GIVEN_A_SLOT_AND_CANCELLED, 1);
    }
    if (one.isWoken() && one.doing == Doing.JOIN && group.size() > 0) {
      count(Met.JOINER_GIVEN_A_TASK_AND_CANCELLED, 1);
    }
    one.cancelled = true;
    one.coroutine.cancel("by the program");
  }

  private void check(boolean holds, String violation) {
    if (!holds) {
      violations.add(violation);
    }
  }

  private void count(Met what, int times) {
    met.merge(what, times, Integer::sum);
  }

  // also after a shutdown
  private void verifyEnd() {
    assertThat(broken).isNull();
    assertThat(violations).isEmpty();
    assertThat(made).isNotNull();
    assertThat(made.running()).as("slots taken").isZero();
    assertThat(made.waiting()).as("spawners that wait").isZero();
    assertThat(inTasks).as("tasks that run").isZero();
    assertThat(workers).allMatch(worker -> worker.coroutine.isDone());
    ledger.verifyEnded();
  }
}
