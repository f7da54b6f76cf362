// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.ProcessTerminatedException;
import dev.heddle.process.ShutdownReport;
import dev.heddle.process.ShutdownReport.Abandoned.Phase;
import dev.heddle.process.StartOptions;
import dev.heddle.process.dispatch.CommandLoop;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.scheduler.WorkerPool;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Shuts a host down: asks processes to end, waits, terminates, abandons, and returns by the
/// deadline.
public final class HostShutdown {
  /*
   * Processes that trap exits are asked to end (ProcessSignal.Cancel), the others are ended. A
   * process that was started linked, by a parent that traps exits, is left to that parent until the
   * parent has ended. So the children of a supervisor end in its order, and a pool finishes its
   * calls.
   *
   * The processes that were asked have three quarters of the time (or all but a second, if that is
   * more) to clean up with timers and I/O: workers and the loop keep running. Then they are
   * terminated too, which takes effect between two steps. A process that is still in a step at the
   * deadline is abandoned: its exit is announced, the report names it with its stack, and its
   * thread is left to it. A process whose exit is being announced at the deadline, to a listener or
   * callback that does not return, is named too: it has ended, but still holds its worker. Only
   * then are the mailboxes of coroutines closed, the workers halted and the loop shut down.
   *
   * The deadline holds. Both passes over the processes read the clock. Processes that a late pass
   * has not reached, and those that workers have not ended by the deadline, are left to a
   * background thread, since hundreds of thousands of processes take seconds. That thread
   * terminates them, waits until workers have closed and announced them, and itself announces those
   * that no worker reaches because steps hold all workers; these are not closed. The report names
   * only processes that hold a worker, no more than there are workers. An observer of an abandoned
   * process may not return either: another thread announces the exit, and run() waits for it no
   * longer than LAST_MOMENT.
   *
   * An interrupt of the waiting thread moves the deadline to LAST_MOMENT from then and ends both
   * parts: no further process is asked, and what does not end at once is abandoned. Every process
   * is still ended and announced, and the interrupt is kept for the caller.
   *
   * P12; proc-71 to proc-76, proc-208, proc-209.
   */
  private static final Duration LONGEST_LAST_PART = Duration.ofSeconds(1);
  private static final Duration LAST_MOMENT =
      Duration.ofMillis(100); // many times what a process between two steps needs
  private static final int CHECK_CLOCK_EVERY = 256; // processes: a fraction of a millisecond
  private static final Duration LONGEST_REST =
      Duration.ofMinutes(1); // for workers to end many millions of processes

  private final ProcessHost host;
  private final WorkerPool workers;
  private final Timers timers;
  private final CommandLoop loops;

  private final ProcessTerminatedException cause =
      new ProcessTerminatedException("the runtime has shut down");

  // the thread that shuts down
  private long end; // in nanoseconds
  private boolean interrupted;

  public HostShutdown(ProcessHost host, WorkerPool workers, Timers timers, CommandLoop loops) {
    this.host = host;
    this.workers = workers;
    this.timers = timers;
    this.loops = loops;
  }

  /// Initialises this class while there is memory: a class whose initialisation fails is lost for
  /// good.
  public static void prepare() {
    Objects.requireNonNull(LONGEST_REST);
  }

  /// Ends everything. Call it once, on a thread that may wait; an interrupt shortens the wait and
  /// is kept.
  public ShutdownReport run(Duration deadline) {
    end = timers.nanoTime() + deadline.toNanos();
    // not Duration.dividedBy: it loads BigDecimal, which takes 200 ms on a busy machine
    Duration lastPart =
        Duration.ofNanos(Math.min(deadline.toNanos() / 4, LONGEST_LAST_PART.toNanos()));
    CompletableFuture<@Nullable Void> empty = host.close();
    AtomicInteger asked = new AtomicInteger();
    cancelAll(new ProcessSignal.Cancel("the runtime shuts down", end - lastPart.toNanos()), asked);
    await(empty, end - lastPart.toNanos());
    Set<ProcessInstance> terminated = terminateAll();
    await(empty, end);
    Map<ProcessInstance, ShutdownReport.Abandoned> abandoned = abandon();
    abandoned.keySet().forEach(terminated::remove);
    host.closeMailboxes();
    if (host.directory().size() > 0) {
      var _ =
          Thread.ofPlatform()
              .daemon()
              .name("heddle-shutdown")
              .start(() -> endRest(abandoned.keySet()));
    } else {
      workers.halt();
      waiting(() -> workers.awaitEnd(rest(abandoned.isEmpty() ? end : 0)));
      waiting(() -> timers.close(rest(end)));
      waiting(() -> loops.close(rest(end)));
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return new ShutdownReport(asked.get(), terminated.size(), List.copyOf(abandoned.values()));
  }

  private void cancelAll(ProcessSignal.Cancel cancel, AtomicInteger asked) {
    int seen = 0;
    for (ProcessInstance process : host.directory().all()) {
      if (isLate(++seen)) {
        return;
      }
      ProcessInstance parent = terminatingParent(process);
      if (parent == null) {
        asked.addAndGet(process.cancel(cancel) ? 1 : 0);
      } else {
        parent.processLinks().onExit(_ -> asked.addAndGet(process.cancel(cancel) ? 1 : 0));
      }
    }
  }

  /// Terminates the remaining processes, as long as there is time.
  ///
  /// @return those whose end this call has decided
  private Set<ProcessInstance> terminateAll() {
    Set<ProcessInstance> terminated = new HashSet<>();
    int seen = 0;
    for (ProcessInstance process : host.directory().all()) {
      if (isLate(++seen)) {
        break;
      }
      if (process.end(Exit.Reason.TERMINATED, cause)) {
        terminated.add(process);
      }
    }
    return terminated;
  }

  private boolean isLate(int seen) {
    return seen % CHECK_CLOCK_EVERY == 0 && timers.nanoTime() - end >= 0;
  }

  /// The parent that will end a process, or null.
  private @Nullable ProcessInstance terminatingParent(ProcessInstance process) {
    StartOptions options = process.options();
    Pid parent =
        options.isLinked() || host.endings().endsWithParent(options) ? options.parent() : null;
    ProcessInstance live = parent == null ? null : host.directory().find(parent);
    return live != null && live.trapsExits() ? live : null;
  }

  // ---- waiting ----

  /// A wait that computes its duration when it begins.
  private interface Wait {
    void run() throws InterruptedException;
  }

  private void waiting(Wait wait) {
    while (true) {
      try {
        wait.run();
        return;
      } catch (InterruptedException _) {
        if (!interrupted) {
          interrupted = true;
          end = Math.min(end, timers.nanoTime() + LAST_MOMENT.toNanos());
        }
      }
    }
  }

  private Duration rest(long until) {
    return Duration.ofNanos(Math.max(0, until - timers.nanoTime()));
  }

  private void await(CompletableFuture<?> empty, long until) {
    boolean before = interrupted;
    waiting(() -> {
      // an interrupt ends this part at once, and leaves the last one its moment
      long last = interrupted && !before ? timers.nanoTime() : Math.min(until, end);
      try {
        var _ = timers.await(empty, Math.max(0, last - timers.nanoTime()));
      } catch (TimeoutException _) {
        // some are left: the caller handles them
      } catch (ExecutionException e) {
        throw new IllegalStateException("nothing fails it", e);
      }
    });
  }

  // ---- processes that missed the deadline ----

  /// Abandons the processes in a step, and returns those that hold a worker, for the report.
  private Map<ProcessInstance, ShutdownReport.Abandoned> abandon() {
    Map<ProcessInstance, ShutdownReport.Abandoned> abandoned = new LinkedHashMap<>();
    Map<ProcessInstance, Exit> untold = new LinkedHashMap<>();
    workers.forEachRunning((task, stack) -> {
      if (!(task instanceof ProcessInstance process)) {
        return;
      }
      Exit exit = process.markAbandoned(true);
      if (exit != null) {
        untold.put(process, exit);
        abandoned.put(process, named(process, Phase.STEP, stack));
      } else if (host.directory().has(process)) { // its exit is being announced
        abandoned.put(process, named(process, Phase.CLOSE, stack));
      }
    });
    if (!untold.isEmpty()) {
      notifyAll(untold);
    }
    return abandoned;
  }

  private static ShutdownReport.Abandoned named(
      ProcessInstance process, Phase by, StackTraceElement[] stack) {
    return new ShutdownReport.Abandoned(process.self(), process.kind(), by, List.of(stack));
  }

  private void notifyAll(Map<ProcessInstance, Exit> untold) {
    Thread teller =
        Thread.ofPlatform()
            .daemon()
            .name("heddle-abandons")
            .start(() -> untold.forEach(ProcessInstance::notifyExit));
    waiting(() -> {
      var _ = teller.join(LAST_MOMENT); // else a listener does not return
    });
  }

  /// Ends the remaining processes after the deadline, on its own thread.
  private void endRest(Set<ProcessInstance> inStep) {
    try {
      for (ProcessInstance process : host.directory().all()) {
        var _ = process.end(Exit.Reason.TERMINATED, cause); // false: its end was decided before
      }
      workers.halt();
      workers.awaitEnd(LONGEST_REST, LAST_MOMENT, inStep::contains);
      for (ProcessInstance process : host.directory().all()) {
        process.abandon();
      }
      var _ = timers.close(LAST_MOMENT);
      var _ = loops.close(LAST_MOMENT);
    } catch (InterruptedException e) {
      throw new IllegalStateException("no code has a reference to interrupt this thread", e);
    }
  }
}
