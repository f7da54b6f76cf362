// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.DeadlineException;
import dev.heddle.process.fiber.Awaited;
import dev.heddle.process.fiber.ProcessFiber;
import dev.heddle.process.scheduler.WorkerThread;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The waits of a runtime: their limits, and where they are allowed.
final class BoundedWaits {
  private static final Duration CENTURY = Duration.ofDays(36_525);

  private BoundedWaits() {}

  /// Waits for a reply.
  static <R extends @Nullable Object> R await(Timers timers, Pid to, Reply<R> reply, Duration limit)
      throws InterruptedException {
    CompletableFuture<R> answer = reply.answer();
    begin(Awaited.What.REPLY, to, limit, () -> answer.isDone() || reply.isDelegated());
    try {
      return timers.await(answer, bounded(limit).toNanos());
    } catch (ExecutionException e) {
      throw switch (Objects.requireNonNull(e.getCause())) {
        case SendFailedException refused when refused.receiver().equals(to) -> refused;
        case NotSendableException unsent -> unsent;
        case Throwable failure -> new AskFailedException(to, failure);
      };
    } catch (TimeoutException _) {
      throw new DeadlineException("no reply from " + to + " within " + limit);
    } finally {
      ProcessFiber.endWait();
      answer.cancel(false); // also when interrupted; does nothing after a reply
    }
  }

  /// Waits for a future that nothing fails; cancels it when the wait ends without it.
  ///
  /// @param missed what has not happened in time, for the message
  static <T> T await(Timers timers, CompletableFuture<T> future, Duration limit, String missed)
      throws InterruptedException {
    try {
      return timers.await(future, bounded(limit).toNanos());
    } catch (ExecutionException e) {
      throw new IllegalStateException("nothing fails it", e);
    } catch (TimeoutException _) {
      throw new DeadlineException(missed + " within " + limit);
    } finally {
      future.cancel(false); // removes its listener; does nothing when it is complete
    }
  }

  /// Begins a wait, so that reports name what a body waits for.
  static void begin(Awaited.What what, Pid of, Duration limit, BooleanSupplier isOver) {
    if (ProcessFiber.isCurrent()) {
      ProcessFiber.beginWait(new Awaited(what, of, limit, isOver));
    }
  }

  /// Limits a duration to 0 to 100 years, which clocks can add to the current time.
  static Duration bounded(Duration limit) {
    if (limit.isNegative()) {
      return Duration.ZERO;
    }
    return limit.compareTo(CENTURY) > 0 ? CENTURY : limit;
  }

  /// Refuses waits in a step, which would hold its worker.
  static void checkMayWait(String what) {
    if (WorkerThread.currentWorker() != null
        || (what.equals("shutdown") && ProcessFiber.isCurrent())) {
      throw new IllegalStateException(
          "%s() would hold a worker in a step of a process; execute a command, or do it elsewhere"
              .formatted(what));
    }
  }
}
