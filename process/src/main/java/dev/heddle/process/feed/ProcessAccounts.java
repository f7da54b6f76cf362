// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.feed;

import dev.heddle.process.StartOptions;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.scheduler.Task;
import dev.heddle.process.scheduler.WorkObserver;
import dev.heddle.process.scheduler.WorkObservers;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.process.scheduler.WorkerPool;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// What the processes of a runtime use of its workers, for one observer: runs, steps, time, the
/// longest run, and the time between runs; of each process, and of each type and entry point.
///
/// **Thread** that of the observer, unless something else is said.
final class ProcessAccounts implements WorkObservers {
  /// What has been used.
  ///
  /// @param of the process; null: all of a type
  /// @param type the class, and the entry point if it is another than usual
  /// @param processes that live and have run
  /// @param waitedNanos from the first run on, without the runs
  record Use(
      @Nullable ProcessInstance of,
      String type,
      long processes,
      long runs,
      long steps,
      long busyNanos,
      long longestNanos,
      long waitedNanos) {}

  /// A process that has run while there are accounts.
  ///
  /// **Thread** made by the worker of its first run; any.
  static final class Life {
    final ProcessInstance process;
    final String type;
    final long began = System.nanoTime();
    private final long stepsBefore;

    private Life(ProcessInstance process) {
      this.process = process;
      this.stepsBefore = process.steps();
      String entry = process.options().entryPoint();
      this.type =
          entry.equals(StartOptions.defaults().entryPoint())
              ? process.kind()
              : process.kind() + "." + entry;
    }

    long steps() {
      return process.steps() - stepsBefore;
    }
  }

  /// Sums of a type, or of a process.
  static final class Sums {
    private long processes;
    private long runs;
    private long steps;
    private long busy;
    private long longest;
    private long lived; // nanoseconds, of all

    /// Adds what one worker has seen of a process.
    void add(long runs, long busy, long longest) {
      this.runs += runs;
      this.busy += busy;
      this.longest = Math.max(this.longest, longest);
    }

    /// Adds that a process has lived.
    void add(Life life, long until, boolean isAlive) {
      processes += isAlive ? 1 : 0;
      steps += life.steps();
      lived += until - life.began;
    }

    void add(Sums other) {
      processes += other.processes;
      steps += other.steps;
      lived += other.lived;
      add(other.runs, other.busy, other.longest);
    }

    Use use(@Nullable ProcessInstance of, String type) {
      // each worker reads the clock for itself
      return new Use(of, type, processes, runs, steps, busy, longest, Math.max(0, lived - busy));
    }
  }

  private final WorkerPool workers;
  private final long began = System.nanoTime();
  private final List<WorkerAccounts> all = new CopyOnWriteArrayList<>(); // added as WorkObservers

  // as WorkObservers
  private final Map<Worker, WorkerAccounts> byWorker = new HashMap<>();
  private final Deque<WorkerAccounts> free = new ArrayDeque<>(); // of compensating workers

  // the workers; an entry leaves with its process
  private final Map<Long, Life> lives = new ConcurrentHashMap<>();

  // the observer
  private final Map<String, Sums> dropped = new HashMap<>(); // ended, and no worker has said so

  private ProcessAccounts(WorkerPool workers) {
    this.workers = workers;
  }

  /// Begins accounts.
  static ProcessAccounts of(WorkerPool workers) {
    ProcessAccounts begun = new ProcessAccounts(workers);
    workers.observe(begun);
    return begun;
  }

  /// Ends them.
  void end() {
    workers.unobserve(this);
  }

  // ---- as observers of workers ----

  @Override
  public WorkObserver of(Worker worker) {
    return byWorker.computeIfAbsent(
        worker,
        _ -> {
          WorkerAccounts left = free.poll();
          return left == null ? more() : left;
        });
  }

  @Override
  public boolean areOfRunsOnly() {
    return true;
  }

  private WorkerAccounts more() {
    WorkerAccounts made = new WorkerAccounts(this, workers.ticks());
    all.add(made);
    return made;
  }

  @Override
  public void ended(Worker worker) {
    WorkerAccounts left = byWorker.remove(worker);
    if (left != null) {
      left.sleeps(); // all its runs are written
      free.add(left);
    }
  }

  /// For how long there have been accounts.
  long nanos() {
    return System.nanoTime() - began;
  }

  // ---- for the workers ----

  Life life(Task task) {
    return lives.computeIfAbsent(task.number(), _ -> new Life((ProcessInstance) task));
  }

  /// A process has ended.
  ///
  /// @return whether the caller is to count that
  boolean ended(Life life) {
    return lives.remove(life.process.id(), life);
  }

  // ---- what the observer sees ----

  /// What has been used.
  ///
  /// @param byType all types whose processes have run
  /// @param byProcess all processes that live and have run
  record Uses(List<Use> byType, List<Use> byProcess) {}

  Uses uses() {
    Map<String, Sums> types = new HashMap<>();
    Map<Life, Sums> processes = new HashMap<>();
    all.forEach(each -> each.addTo(types, processes));
    long now = System.nanoTime();
    List<Use> byProcess = new ArrayList<>();
    for (Life life : lives.values()) {
      if (life.process.isEnded()) {
        drop(life, now);
      } else {
        sums(types, life.type).add(life, now, true);
        Sums of = processes.computeIfAbsent(life, _ -> new Sums());
        of.add(life, now, true);
        byProcess.add(of.use(life.process, life.type));
      }
    }
    dropped.forEach((type, of) -> sums(types, type).add(of));
    List<Use> byType = new ArrayList<>();
    types.forEach((type, of) -> byType.add(of.use(null, type)));
    return new Uses(byType, byProcess);
  }

  // a worker that lacks memory does not tell all ends
  private void drop(Life life, long now) {
    if (ended(life)) {
      sums(dropped, life.type).add(life, now, false);
    }
  }

  /// What a process has used; null if it does not live, or has not run.
  @Nullable Use use(long process) {
    Life life = lives.get(process);
    if (life == null || life.process.isEnded()) {
      return null;
    }
    Sums of = new Sums();
    all.forEach(each -> each.addTo(of, process));
    of.add(life, System.nanoTime(), true);
    return of.use(life.process, life.type);
  }

  static Sums sums(Map<String, Sums> of, String type) {
    return of.computeIfAbsent(type, _ -> new Sums());
  }
}
