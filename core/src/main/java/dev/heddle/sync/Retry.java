// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.CoroutineException;
import dev.heddle.PoolClosedException;
import dev.heddle.ServiceUnavailableException;
import dev.heddle.Transform;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.failure.FailureTable;
import dev.heddle.internal.Rethrow;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Runs code again when it fails, after a wait.
///
/// {@snippet class=dev.heddle.snippets.RetrySnippetsTest region=retry}
///
/// By default there are 3 attempts. An exception is retried, but not one that the next attempt
/// would meet again: of a mistake in the program (a [NullPointerException],
/// [IllegalArgumentException], [ClassCastException], [IndexOutOfBoundsException] or
/// [UnsupportedOperationException]), and of a pool or channel that was closed. An [Error] is not
/// retried, either. [#withRetryIf] replaces these rules. A cancellation is never retried, in
/// whatever form it comes: as a [Cancellation], as the exception of an interrupted wait in the JDK,
/// or as one that the body has made of it. A failure that a cancellation overtakes is not retried,
/// and is thrown as it would be without a retry.
///
/// After a [ServiceUnavailableException] the wait is at least its
/// [ServiceUnavailableException#retryAfter()]. A refusal that only [CircuitBreaker#probe()] or
/// [CircuitBreaker#reset()] ends is thrown at once.
///
/// | bound | what it cancels | then |
/// |---|---|---|
/// | [#withAttemptTimeout] | the attempt | the next attempt, or a [dev.heddle.DeadlineException] |
/// | [#withTimeout], a deadline | the attempt, or the wait | a [dev.heddle.DeadlineException] |
/// | a block [dev.heddle.Heddle#withTimeout] around it | the attempt, or the wait | that block's |
///
/// The earliest bound counts. If the next wait would outlast [#withTimeout] or the deadline of
/// [#run], the failure is thrown at once.
///
/// When no attempt is left, the failure of the last one is thrown: the same object, or a
/// [CoroutineException] around a checked one. Its [report][dev.heddle.Heddle#reportOf] names those
/// of up to 8 attempts before.
///
/// An immutable value. Coroutines and loops may share it if it has no budget, which belongs to one
/// loop. **Cost** nothing beyond the body, while that succeeds; a timer for each bound.
///
/// @since 0.1
public final class Retry {
  /*
   * Bounds are blocks with a deadline, one inside the other: the total around everything, that of
   * the attempt around the body. So the outermost one that has expired throws, and an attempt that
   * an outer bound has cancelled ends with a Cancellation here, which is not retried.
   *
   * An attempt that fails while the coroutine is cancelled is not retried, whether the body has met
   * the cancellation or not, and whatever it has made of it. What it threw is thrown as it is, and
   * has the effect that it has without a retry: the block or the coroutine that was cancelled
   * recognises an exception that was made of its interrupt, and any other one is a failure. A
   * clean-up, which begins after a cancellation was delivered, is retried as any other code. A
   * cancellation counts that comes after the start of the run, or that is still to be delivered
   * then: the first attempt may meet it.
   *
   * Sources. gRPC's retry design (A6), Finagle's RetryBudget, AWS "Exponential Backoff And Jitter".
   */

  /// Is called before each retry: for logs and metrics.
  ///
  /// {@snippet class=dev.heddle.snippets.SyncPartsSnippetsTest region=listener}
  ///
  /// @since 0.1
  @FunctionalInterface
  public interface Listener {
    /// Called before the wait, in the coroutine that retries. What it throws ends the retries.
    ///
    /// @param attempt the number of the attempt that failed, from 1 on
    /// @param failure the failure, a checked one as it was thrown
    /// @param delay the coming wait
    void onRetry(int attempt, Throwable failure, Duration delay);
  }

  private static final int ATTEMPTS = 3;
  private static final int REMEMBERED = 8; // failures of earlier attempts, for the report

  private final Backoff backoff;
  private final int maxAttempts;
  private final @Nullable Duration attemptTimeout;
  private final @Nullable Duration timeout;
  private final Predicate<? super Throwable> condition;
  private final @Nullable RetryBudget budget;
  private final Listener listener;

  private Retry(
      Backoff backoff,
      int maxAttempts,
      @Nullable Duration attemptTimeout,
      @Nullable Duration timeout,
      Predicate<? super Throwable> condition,
      @Nullable RetryBudget budget,
      Listener listener) {
    this.backoff = backoff;
    this.maxAttempts = maxAttempts;
    this.attemptTimeout = attemptTimeout;
    this.timeout = timeout;
    this.condition = condition;
    this.budget = budget;
    this.listener = listener;
  }

  /// Up to 3 attempts, with waits by `backoff` between them.
  public static Retry with(Backoff backoff) {
    Objects.requireNonNull(backoff, "backoff");
    return new Retry(backoff, ATTEMPTS, null, null, Retry::mayPass, null, (_, _, _) -> {});
  }

  private static boolean mayPass(Throwable failure) {
    return switch (failure) {
      case NullPointerException _,
          IllegalArgumentException _,
          ClassCastException _,
          IndexOutOfBoundsException _,
          UnsupportedOperationException _,
          PoolClosedException _,
          ChannelClosedException _ ->
          false;
      default -> failure instanceof Exception;
    };
  }

  // ---- options ----

  /// The same, with another number of attempts, the first one included.
  ///
  /// @param max at least 1; [Integer#MAX_VALUE] for no limit
  /// @throws IllegalArgumentException when it is less than 1
  public Retry withMaxAttempts(int max) {
    if (max < 1) {
      throw new IllegalArgumentException(
          max + " attempts would never run the body; give at least 1");
    }
    return new Retry(backoff, max, attemptTimeout, timeout, condition, budget, listener);
  }

  /// The same, with a bound for each attempt: one that lasts longer is cancelled, and counts as
  /// failed with a [dev.heddle.DeadlineException].
  ///
  /// @throws IllegalArgumentException unless it is positive
  public Retry withAttemptTimeout(Duration limit) {
    return new Retry(backoff, maxAttempts, checked(limit), timeout, condition, budget, listener);
  }

  /// The same, with a bound for all attempts and waits together.
  ///
  /// @throws IllegalArgumentException unless it is positive
  public Retry withTimeout(Duration limit) {
    return new Retry(
        backoff, maxAttempts, attemptTimeout, checked(limit), condition, budget, listener);
  }

  private static Duration checked(Duration limit) {
    if (!limit.isPositive()) {
      throw new IllegalArgumentException(
          "a limit of " + limit + " has expired before it begins; it must be positive");
    }
    return limit;
  }

  /// The same, with another condition: a failure that it refuses is thrown at once. It gets a
  /// checked exception as it was thrown, also one that arrived in a [CoroutineException]. What the
  /// condition itself throws ends the retries; the report of that names the failure.
  public Retry withRetryIf(Predicate<? super Throwable> failure) {
    Objects.requireNonNull(failure, "failure");
    return new Retry(backoff, maxAttempts, attemptTimeout, timeout, failure, budget, listener);
  }

  /// The same, for failures of these types only. Replaces the condition before.
  ///
  /// @param types at least one
  /// @throws IllegalArgumentException when there is none
  @SafeVarargs
  @SuppressWarnings("varargs") // only read
  public final Retry withRetryOn(Class<? extends Throwable>... types) {
    List<Class<? extends Throwable>> accepted = List.of(types);
    if (accepted.isEmpty()) {
      throw new IllegalArgumentException("without a type nothing would be retried; give one");
    }
    return withRetryIf(failure -> accepted.stream().anyMatch(type -> type.isInstance(failure)));
  }

  /// The same, with a budget that other calls share. The value then belongs to the budget's loop.
  public Retry withBudget(RetryBudget shared) {
    Objects.requireNonNull(shared, "shared");
    return new Retry(backoff, maxAttempts, attemptTimeout, timeout, condition, shared, listener);
  }

  /// The same, with a listener instead of the one before.
  public Retry withListener(Listener replacement) {
    Objects.requireNonNull(replacement, "replacement");
    return new Retry(backoff, maxAttempts, attemptTimeout, timeout, condition, budget, replacement);
  }

  // ---- running ----

  /// Runs `body` until it succeeds, or may not be retried. **Suspends** between attempts, and where
  /// `body` does.
  ///
  /// @return what the body returned
  /// @throws Cancellation when the coroutine is cancelled, also while it waits
  /// @throws dev.heddle.DeadlineException when the time for all attempts is over
  /// @throws CoroutineException when the last attempt threw a checked exception; unchecked ones and
  ///   errors come as they are
  /// @throws IllegalStateException outside a coroutine
  public <T extends @Nullable Object> T run(Body<T> body) {
    return run(body, Deadline.never());
  }

  /// Runs `body` until it succeeds, or may not be retried, or a deadline runs out, which bounds all
  /// attempts and waits together. Otherwise as [#run(Body)].
  public <T extends @Nullable Object> T run(Body<T> body, Deadline deadline) {
    Objects.requireNonNull(body, "body");
    return this.<T>run((Integer _) -> body.run(), deadline);
  }

  /// Runs an action. Otherwise as [#run(Body)].
  public void run(Action action) {
    run(Bodies.of(action), Deadline.never());
  }

  /// Runs an action. Otherwise as [#run(Body, Deadline)].
  public void run(Action action, Deadline deadline) {
    run(Bodies.of(action), deadline);
  }

  /// Runs code that gets the number of the attempt, from 1 on. Otherwise as [#run(Body)].
  public <T extends @Nullable Object> T run(Transform<Integer, T> attempt) {
    return run(attempt, Deadline.never());
  }

  /// Runs code that gets the number of the attempt, from 1 on. Otherwise as [#run(Body, Deadline)].
  public <T extends @Nullable Object> T run(Transform<Integer, T> attempt, Deadline deadline) {
    Objects.requireNonNull(attempt, "attempt");
    CoroutineNode<?> self = CoroutineNode.current();
    if (budget != null) {
      budget.deposit();
    }
    Run<T> run = new Run<>(self, attempt, earlier(deadline));
    try {
      return self.withDeadline(run.end, run::all);
    } catch (Throwable e) {
      run.mergeInto(e);
      throw Rethrow.unchecked(CoroutineException.of(e));
    }
  }

  private Deadline earlier(Deadline given) {
    Deadline own = timeout == null ? Deadline.never() : Deadline.after(timeout);
    return own.remaining().compareTo(given.remaining()) < 0 ? own : given;
  }

  /// The attempts of one call.
  private final class Run<T extends @Nullable Object> {
    private final CoroutineNode<?> self;
    private final Transform<Integer, T> body;
    private final Deadline end;
    private final int deliveredBefore; // cancelled blocks whose clean-up it is in
    private final Deque<Throwable> earlier = new ArrayDeque<>(0); // failures of earlier attempts
    private Duration drawn = Duration.ZERO; // by the backoff
    private Duration delay = Duration.ZERO; // that, or longer

    Run(CoroutineNode<?> self, Transform<Integer, T> body, Deadline end) {
      this.self = self;
      this.body = body;
      this.end = end;
      this.deliveredBefore = self.deliveredBlocks();
    }

    T all() throws Exception {
      for (int attempt = 1; ; attempt++) {
        try {
          return once(attempt);
        } catch (Throwable e) {
          FailureTable.throwIfFatal(e);
          if (self.isCancelledSince(deliveredBefore) || !isToRetry(attempt, e)) {
            throw e;
          }
          keep(e);
          listener.onRetry(attempt, unwrapped(e), delay);
        }
        pause();
      }
    }

    private T once(int attempt) throws Exception {
      return attemptTimeout == null
          ? body.apply(attempt)
          : self.withTimeout(attemptTimeout, () -> body.apply(attempt));
    }

    // what the condition, the source of the backoff or the budget throws names the failure, too
    private boolean isToRetry(int attempt, Throwable failure) {
      try {
        return mayRetry(attempt, failure);
      } catch (Throwable e) {
        keep(failure);
        throw e;
      }
    }

    private boolean mayRetry(int attempt, Throwable failure) {
      if (failure instanceof Cancellation
          || attempt >= maxAttempts
          || !condition.test(unwrapped(failure))) {
        return false;
      }
      Duration asked = Duration.ZERO;
      if (failure instanceof ServiceUnavailableException unavailable) {
        asked = unavailable.retryAfter();
        if (asked == null) {
          return false; // no wait ends it
        }
      }
      drawn = backoff.delay(attempt, drawn);
      delay = asked.compareTo(drawn) > 0 ? asked : drawn;
      // in this order: a retry that has no time left takes nothing from the budget
      return hasTimeFor(delay) && (budget == null || budget.tryWithdraw());
    }

    private boolean hasTimeFor(Duration wait) {
      return end.isNever() || wait.compareTo(end.remaining()) < 0;
    }

    private void pause() {
      if (delay.isPositive()) {
        self.delay(delay);
      } else {
        self.scheduler().yieldFrom(self); // else a body that never waits would hold the loop
      }
    }

    // a bounded number, since some retry for ever
    private void keep(Throwable failure) {
      if (earlier.size() == REMEMBERED) {
        earlier.removeFirst();
      }
      earlier.addLast(failure);
    }

    void mergeInto(Throwable thrown) {
      earlier.forEach(failure -> FailureTable.merge(thrown, failure));
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure instanceof CoroutineException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }
}
