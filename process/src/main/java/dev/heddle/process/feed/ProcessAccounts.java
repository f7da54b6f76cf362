// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.feed;

import dev.heddle.observe.trace.TraceTicks;
import dev.heddle.process.StartOptions;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.scheduler.Task;
import dev.heddle.process.scheduler.WorkerPool;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// What the processes of a runtime use of its workers, for one observer: runs, steps, time, the
/// longest run, and the time between runs; of each process, and of each type and entry point.
///
/// **Thread** that of the observer, unless something else is said.
final class ProcessAccounts {
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
  private final TraceTicks ticks = new TraceTicks();
  private final long began = System.nanoTime();
  private final List<WorkerAccounts> all;

  // the workers; an entry leaves with its process
  private final Map<Long, Life> lives = new ConcurrentHashMap<>();

  /// Begins accounts.
  ProcessAccounts(WorkerPool workers) {
    this.workers = workers;
    List<WorkerAccounts> made = new ArrayList<>();
    for (int i = 0; i < workers.counters().size(); i++) {
      made.add(new WorkerAccounts(this, ticks));
    }
    this.all = List.copyOf(made);
    workers.observe(all);
  }

  /// Ends them.
  void end() {
    workers.unobserve(all);
    ticks.close();
  }

  /// For how long there have been accounts.
  long nanos() {
    return System.nanoTime() - began;
  }

  // ---- for the workers ----

  Life life(Task task) {
    return lives.computeIfAbsent(task.number(), _ -> new Life((ProcessInstance) task));
  }

  void ended(Life life) {
    var _ = lives.remove(life.process.id());
  }

  // ---- what the observer sees ----

  /// All types whose processes have run.
  Collection<Use> byType() {
    Map<String, Sums> sums = new HashMap<>();
    all.forEach(each -> each.addTo(sums));
    long now = System.nanoTime();
    lives.values().forEach(life -> sums(sums, life.type).add(life, now, true));
    return sums.entrySet().stream().map(each -> each.getValue().use(null, each.getKey())).toList();
  }

  static Sums sums(Map<String, Sums> of, String type) {
    return of.computeIfAbsent(type, _ -> new Sums());
  }

  /// All processes that live and have run.
  Collection<Use> byProcess() {
    Map<Life, Sums> sums = new HashMap<>();
    all.forEach(each -> each.addLivesTo(sums));
    long now = System.nanoTime();
    List<Use> uses = new ArrayList<>();
    lives
        .values()
        .forEach(life -> {
          Sums of = sums.computeIfAbsent(life, _ -> new Sums());
          of.add(life, now, true);
          uses.add(of.use(life.process, life.type));
        });
    return uses;
  }
}
