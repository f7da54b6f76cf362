// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import dev.heddle.Cancellation;
import dev.heddle.event.source.UnobservedOutcomes.Exported;
import dev.heddle.event.source.UnobservedOutcomes.Label;
import dev.heddle.event.source.UnobservedOutcomes.ObservationToken;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// What [dev.heddle.event.Completable#toCompletableFuture()] gives: a future of the JDK that knows
/// whether anybody has looked at its failure.
///
/// **Thread** any.
public final class ExportedFuture<T extends @Nullable Object> extends CompletableFuture<T> {
  /*
   * Who takes the failure. Whoever gets it thrown or returned (get, join, getNow, exceptionNow),
   * and whoever makes a future or a stage that depends on this one: from there on it is the JDK's
   * affair. That may happen on any thread, also long after the loop has ended. So neither the
   * failure nor the loop's end decides that nobody has; that the future is garbage does.
   *
   * States.  from     event                                       to       who, order
   *          UNKNOWN  fail(), nothing depends on it               OPEN     the loop: the fate first, then the outcome
   *          UNKNOWN  fail(), something depends on it             TAKEN    the loop
   *          UNKNOWN  fail(), somebody else has completed it      TAKEN    the loop: reported at once
   *          OPEN     a reader has it, a dependent is made        TAKEN    any thread
   *          OPEN     it is garbage                               TAKEN    the reporting thread (UnobservedOutcomes): reported
   *
   * Memory order. The fate is set before the outcome: a reader that sees the outcome sees the fate.
   * Who takes it exchanges it.
   *
   * Rejected. Reporting at the loop's end: `run` may return the future, and its caller read it
   * then. Failing the scope while nothing depends on the future yet: whether a thread is in get()
   * in time is a matter of luck.
   */

  // claims must be reachable to be queued, and these outlive their ledgers; coroutines and other
  // threads take its lock, no carrier
  static final Set<Object> OPEN = ConcurrentHashMap.newKeySet();

  private final UnobservedOutcomes ledger;
  private final Exported described;

  // the loop sets it, any thread takes it
  private final AtomicReference<@Nullable ObservationToken> observation = new AtomicReference<>();

  // any thread: those in get() and join(), who count as dependents there
  private final AtomicInteger reading = new AtomicInteger();

  /// An open one.
  public ExportedFuture(UnobservedOutcomes ledger, Label of) {
    this.ledger = ledger;
    this.described = new Exported(ledger, of);
  }

  /// Completes it with a failure that nobody has taken.
  public void fail(Throwable failure) {
    if (failure instanceof Cancellation || getNumberOfDependents() > reading.get()) {
      if (!completeExceptionally(failure) && !(failure instanceof Cancellation)) {
        onLateFailure(failure);
      }
      return;
    }
    observation.set(ledger.openForExport(described, failure));
    if (!completeExceptionally(failure)) {
      observed();
      onLateFailure(failure);
    }
  }

  private void onLateFailure(Throwable failure) {
    ledger.unobserved(
        "a failure arrived after other code had completed the CompletableFuture of "
            + described.what(),
        failure);
  }

  private void observed() {
    ObservationToken open = observation.getAndSet(null);
    if (open != null) {
      open.observe();
    }
  }

  // ---- those who look at it ----

  private void inspected() {
    reading.decrementAndGet();
    if (isDone()) {
      observed();
    }
  }

  @Override
  public T get() throws InterruptedException, ExecutionException {
    reading.incrementAndGet();
    try {
      return super.get();
    } finally {
      inspected();
    }
  }

  @Override
  public T get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    reading.incrementAndGet();
    try {
      return super.get(timeout, unit);
    } finally {
      inspected();
    }
  }

  @Override
  public T join() {
    reading.incrementAndGet();
    try {
      return super.join();
    } finally {
      inspected();
    }
  }

  @Override
  public T getNow(T valueIfAbsent) {
    reading.incrementAndGet();
    try {
      return super.getNow(valueIfAbsent);
    } finally {
      inspected();
    }
  }

  @Override
  public Throwable exceptionNow() {
    reading.incrementAndGet();
    try {
      return super.exceptionNow();
    } finally {
      inspected();
    }
  }

  // ---- those who depend on it ----

  @Override
  public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
    observed(); // whoever attaches itself before the end is found by the end
    return new CompletableFuture<>();
  }

  @Override
  public CompletableFuture<T> toCompletableFuture() {
    observed(); // an argument of thenCombine() and the like
    return this;
  }

  @Override
  public CompletionStage<T> minimalCompletionStage() {
    observed();
    return super.minimalCompletionStage();
  }
}
