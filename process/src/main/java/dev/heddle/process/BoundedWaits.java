// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.DeadlineException;
import dev.heddle.process.fiber.Awaited;
import dev.heddle.process.fiber.ProcessFiber;
import dev.heddle.process.scheduler.Worker;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// What the waits of a runtime have in common.
final class BoundedWaits {
  private static final Duration CENTURY = Duration.ofDays(36_525);

  private BoundedWaits() {}

  /// Waits for an answer.
  static <R extends @Nullable Object> R await(Pid to, Reply<R> reply, Duration limit)
      throws InterruptedException {
    CompletableFuture<R> answer = reply.answer();
    begin(Awaited.What.ANSWER, to, limit, () -> answer.isDone() || reply.isDelegated());
    try {
      return answer.get(bounded(limit).toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SendFailedException refused && refused.receiver().equals(to)
          ? refused
          : new AskFailedException(to, Objects.requireNonNull(e.getCause()));
    } catch (TimeoutException _) {
      throw new DeadlineException("no answer of " + to + " within " + limit);
    } finally {
      ProcessFiber.endWait();
      answer.cancel(false); // given up, also when interrupted; does nothing when there is an answer
    }
  }

  /// A wait begins: reports name what a body waits for.
  static void begin(Awaited.What what, Pid of, Duration limit, BooleanSupplier isOver) {
    if (ProcessFiber.isCurrent()) {
      ProcessFiber.beginWait(new Awaited(what, of, limit, isOver));
    }
  }

  /// What clocks can add to the time of day: less than nothing is nothing, more than a century is
  /// that.
  static Duration bounded(Duration limit) {
    if (limit.isNegative()) {
      return Duration.ZERO;
    }
    return limit.compareTo(CENTURY) > 0 ? CENTURY : limit;
  }

  /// Whoever waits in a step would hold its worker.
  static void checkMayWait(String what) {
    if (Worker.current() != null || (what.equals("shutdown") && ProcessFiber.isCurrent())) {
      throw new IllegalStateException(
          what
              + "() would hold a worker in a step of a process; yield a command, or do it"
              + " elsewhere");
    }
  }
}
