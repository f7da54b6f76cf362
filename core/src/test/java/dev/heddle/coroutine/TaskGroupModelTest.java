// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random programs of coroutines that spawn tasks and join them, with and without waiting, with
/// tokens, deadlines, cancellations and a close at any step. Each task has a number, so that a
/// ledger can say where it is. `-Dheddle.seed=N` repeats one.
@Tag("trap-1")
@Tag("trap-3")
@Tag("trap-24")
@Timeout(300)
class TaskGroupModelTest {
  private static final int PROGRAMS = 10_000;
  private static final int WORKERS = 5;
  private static final int STEPS = 7;
  private static final String TASK = "task ";

  @Test
  void randomPrograms_loseNothingAndDoubleNothing() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    int waited = 0;
    int ended = 0;
    for (long seed = first; seed < last; seed++) {
      Program program = new Program(seed, false);
      program.run();
      waited += program.slotsWaitedFor;
      ended += program.waitsEndedOtherwise;
    }
    // else the programs never met the windows between woken and running
    assertThat(only != null || waited > PROGRAMS / 4).as("%s waited", waited).isTrue();
    assertThat(only != null || ended > PROGRAMS / 4).as("%s ended", ended).isTrue();
  }

  @Test
  void randomPrograms_withAShutdownAtAnyStep_end() {
    int shutDown = 0;
    for (long seed = 0; seed < PROGRAMS / 10; seed++) {
      Program program = new Program(seed, true);
      program.run();
      shutDown += program.shutDown ? 1 : 0;
    }
    assertThat(shutDown).isGreaterThan(PROGRAMS / 40);
  }

  private static final class Program {
    private final long seed;
    private final boolean shutsDown;
    private final Random random;
    private final int limit;
    private final List<Coroutine<?>> workers = new ArrayList<>();
    private final List<Promise<String>> tokens = new ArrayList<>();
    private final Map<Integer, Future<Integer>> handles = new TreeMap<>();
    private final Map<Integer, Integer> begun = new HashMap<>(); // task to how often
    private final Set<Integer> spawned = new HashSet<>(); // spawn() has returned
    private final Set<Integer> refused = new HashSet<>();
    private final List<Integer> joined = new ArrayList<>();
    private final List<String> violations = new ArrayList<>(); // in workers and tasks
    private int numbers;
    private int inTasks;
    int slotsWaitedFor;
    int waitsEndedOtherwise;
    boolean shutDown;

    Program(long seed, boolean shutsDown) {
      this.seed = seed;
      this.shutsDown = shutsDown;
      this.random = new Random(seed);
      this.limit = 1 + (int) (seed % 3);
    }

    void run() {
      try {
        Heddle.run(this::play);
      } catch (RuntimeException | Error e) {
        if (shutDown && e instanceof Cancellation) {
          assertThat(violations).as("seed %d", seed).isEmpty();
          return;
        }
        throw new AssertionError("seed " + seed + ", -Dheddle.seed=" + seed + " repeats it", e);
      }
    }

    private void play() {
      Heddle.supervise(s -> {
        TaskGroup<Integer> group = new TaskGroup<>(limit);
        for (int i = 0; i < WORKERS; i++) {
          workers.add(s.spawn(() -> live(group)));
        }
        for (Coroutine<?> worker : workers) {
          var _ = catchThrowable(worker::await); // one that waits for ever is a deadlock
        }
        group.close();
        group.awaitCompletion();
        if (!shutDown) { // else a join throws the cancellation of a task, which has no number
          verify(group);
        }
        return null;
      });
    }

    private void live(TaskGroup<Integer> group) {
      for (int step = 0; step < STEPS; step++) {
        try {
          act(group);
        } catch (WaitCancelledException | DeadlineException _) {
          waitsEndedOtherwise++;
        } catch (NoSuchElementException | IllegalStateException _) {
          // empty, or closed
        }
        check(group.running() <= limit, "too many slots taken");
        // I1
        check(
            group.running() == limit || !group.info().matches(".* [1-9]\\d* waiting"), "slot kept");
      }
    }

    private void act(TaskGroup<Integer> group) {
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> spawn(group);
        case 4 -> trySpawn(group);
        case 5, 6 -> joinNext(group);
        case 7 -> shutDown();
        case 8 -> cancelOne();
        case 9 -> fireToken();
        case 10 -> cancelTask();
        default -> {
          Heddle.yieldNow();
          if (random.nextInt(15) == 0) {
            group.close();
          }
        }
      }
    }

    private void spawn(TaskGroup<Integer> group) {
      int task = numbers++;
      boolean full = group.running() == limit;
      boolean done = false;
      try {
        handles.put(
            task,
            switch (random.nextInt(3)) {
              case 0 -> group.spawn(task, () -> work(task));
              case 1 -> group.spawn(task, () -> work(task), Deadline.after(Duration.ofNanos(1)));
              default -> group.spawn(task, () -> work(task), token());
            });
        done = true;
        slotsWaitedFor += full ? 1 : 0;
      } finally {
        var _ = (done ? spawned : refused).add(task);
      }
    }

    private void trySpawn(TaskGroup<Integer> group) {
      int task = numbers++;
      Future<Integer> handle = null;
      try {
        handle = group.trySpawn(task, () -> work(task));
      } finally {
        var _ = (handle == null ? refused : spawned).add(task);
      }
    }

    private int work(int task) {
      begun.merge(task, 1, Integer::sum);
      inTasks++;
      check(inTasks <= limit, "too many tasks run");
      try {
        for (int i = random.nextInt(4); i > 0; i--) {
          Heddle.yieldNow();
        }
        return task;
      } finally {
        inTasks--;
      }
    }

    private Future<String> token() {
      Promise<String> token = new Promise<>();
      tokens.add(token);
      return token.future();
    }

    private void joinNext(TaskGroup<Integer> group) {
      try {
        note(
            switch (random.nextInt(3)) {
              case 0 -> group.joinNext();
              case 1 -> group.joinNext(Deadline.after(Duration.ofNanos(1)));
              default -> group.joinNext(token());
            });
      } catch (Cancellation e) {
        if (!e.getMessage().startsWith(TASK)) {
          throw e;
        }
        note(Integer.parseInt(e.getMessage().substring(TASK.length())));
      }
    }

    private void note(int task) {
      joined.add(task);
    }

    private void check(boolean holds, String violation) {
      if (!holds) {
        violations.add(violation);
      }
    }

    private void shutDown() {
      if (shutsDown && random.nextInt(2) == 0) {
        shutDown = true;
        Heddle.shutdown(Duration.ofSeconds(100));
      }
    }

    private void cancelOne() {
      if (random.nextInt(3) == 0) {
        workers.get(random.nextInt(workers.size())).cancel("by the program");
      }
    }

    private void fireToken() {
      if (!tokens.isEmpty()) {
        var _ = tokens.get(random.nextInt(tokens.size())).tryComplete("enough");
      }
    }

    private void cancelTask() {
      List<Integer> tasks = List.copyOf(handles.keySet());
      if (!tasks.isEmpty() && random.nextInt(3) == 0) {
        Integer task = tasks.get(random.nextInt(tasks.size()));
        handles.get(task).cancel(TASK + task);
      }
    }

    private void verify(TaskGroup<Integer> group) {
      assertThat(violations).as("seed %d", seed).isEmpty();
      assertThat(group.running()).as("seed %d", seed).isZero();
      assertThat(begun.values()).as("seed %d: begun twice", seed).allMatch(n -> n == 1);
      assertThat(refused).as("seed %d: begun", seed).noneMatch(begun::containsKey);
      List<Object> all = new ArrayList<>(joined);
      all.addAll(group.outcomes().completionOrder());
      assertThat(all).as("seed %d: doubled", seed).doesNotHaveDuplicates();
      assertThat(new HashSet<>(all)).as("seed %d: lost", seed).isEqualTo(spawned);
    }
  }
}
