// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.process.ShutdownReport;
import dev.heddle.process.Signal;
import dev.heddle.process.dispatch.LoopPort;
import dev.heddle.process.scheduler.WorkScheduler;
import dev.heddle.process.scheduler.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The end of a host: asks, waits, ends, abandons, and is back in time.
public final class HostShutdown {
  /*
   * Processes that trap exits are asked (Signal.Cancel), the others ended. Those asked have the time, but for its last quarter, at most a
   * second, to clean up, with timers and I/O: workers and the loop go on. Then they are ended too, which needs them to be between two steps. What is
   * still in a step at the deadline is abandoned: told to have ended, named in the report with its stack; its thread is left to it.
   * Only then workers leave and the loop is shut down. P12; traps 50, 51; cases 71-76, 208, 209.
   */
  private static final Duration LONGEST_LAST_PART = Duration.ofSeconds(1);

  private final ProcessHost host;
  private final WorkScheduler scheduler;
  private final LoopPort loops;

  /// Of these.
  public HostShutdown(ProcessHost host, WorkScheduler scheduler, LoopPort loops) {
    this.host = host;
    this.scheduler = scheduler;
    this.loops = loops;
  }

  /// Ends everything. To be called once, on a thread that may wait.
  public ShutdownReport run(Duration deadline) throws InterruptedException {
    long end = System.nanoTime() + deadline.toNanos();
    Duration lastPart = deadline.dividedBy(4);
    if (lastPart.compareTo(LONGEST_LAST_PART) > 0) {
      lastPart = LONGEST_LAST_PART;
    }
    CompletableFuture<@Nullable Void> empty = host.close();
    Signal.Cancel cancel =
        new Signal.Cancel("the runtime shuts down", Instant.now().plus(deadline).minus(lastPart));
    int asked = 0;
    for (LiveProcess process : host.all()) {
      asked += process.cancel(cancel) ? 1 : 0;
    }
    await(empty, end - lastPart.toNanos());
    int terminated = 0;
    for (LiveProcess process : host.all()) {
      terminated += process.terminate("the runtime has shut down") ? 1 : 0;
    }
    await(empty, end);
    List<ShutdownReport.Abandoned> abandoned = abandon();
    scheduler.halt();
    var _ = scheduler.awaitEnd(rest(abandoned.isEmpty() ? end : 0));
    var _ = loops.close(rest(end));
    return new ShutdownReport(asked, terminated - abandoned.size(), abandoned);
  }

  private static Duration rest(long until) {
    return Duration.ofNanos(Math.max(0, until - System.nanoTime()));
  }

  private static void await(CompletableFuture<?> empty, long until) throws InterruptedException {
    try {
      var _ = empty.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      // some are left: the caller looks
    } catch (ExecutionException e) {
      throw new IllegalStateException("nothing fails it", e);
    }
  }

  private List<ShutdownReport.Abandoned> abandon() {
    List<ShutdownReport.Abandoned> abandoned = new ArrayList<>();
    for (LiveProcess process : host.all()) {
      Worker worker = scheduler.workerOf(process);
      StackTraceElement[] stack =
          worker == null ? new StackTraceElement[0] : worker.thread().getStackTrace();
      process.abandon();
      abandoned.add(new ShutdownReport.Abandoned(process.self(), process.kind(), List.of(stack)));
    }
    return abandoned;
  }
}
