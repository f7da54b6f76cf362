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

/// The result of [dev.heddle.event.Completable#toCompletableFuture()]: a JDK future that records
/// whether its failure was observed.
///
/// **Thread** any.
public final class ExportedFuture<T extends @Nullable Object> extends CompletableFuture<T> {
  /*
   * Who observes the failure. A caller that gets it thrown or returned (get, join, getNow,
   * exceptionNow), and a caller that derives a future or a stage from this one: from then on the
   * failure is the JDK's concern. Both may happen on any thread, also long after the loop has
   * ended. Therefore neither the failure itself nor the loop's end decides that it is unobserved;
   * only that the future has become garbage does.
   *
   * States.  from     event                          to        who, order
   *          UNKNOWN  fail(), no dependents          OPEN      loop: the token, then the outcome
   *          UNKNOWN  fail(), with dependents        OBSERVED  loop
   *          UNKNOWN  fail(), completed by others    OBSERVED  loop: reported at once
   *          OPEN     a reader gets it, or a         OBSERVED  any thread
   *                   dependent is created
   *          OPEN     the future is garbage          OBSERVED  reporting thread: reports it
   *                                                            (UnobservedOutcomes)
   *
   * Memory order. The token is set before the outcome: a reader that sees the outcome sees the
   * token. An observer takes the token by an exchange.
   *
   * Rejected. Reporting at the loop's end: `run` may return the future, and its caller may read it
   * later. Failing the scope if the future has no dependents yet: whether a thread calls get() in
   * time would be a race.
   */

  // entries must be reachable to be queued, and these outlive their loops; coroutines and other
  // threads take this set's lock, carriers do not
  static final Set<Object> OPEN = ConcurrentHashMap.newKeySet();

  private final UnobservedOutcomes ledger;
  private final Exported described;

  // set by the loop, taken by any thread
  private final AtomicReference<@Nullable ObservationToken> observation = new AtomicReference<>();

  // any thread: the callers in get() and join(), which CompletableFuture counts as dependents
  private final AtomicInteger reading = new AtomicInteger();

  public ExportedFuture(UnobservedOutcomes ledger, Label of) {
    this.ledger = ledger;
    this.described = new Exported(ledger, of);
  }

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

  // ---- readers ----

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

  // ---- dependents ----

  @Override
  public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
    observed(); // a dependent attached before the end is counted at the end
    return new CompletableFuture<>();
  }

  @Override
  public CompletableFuture<T> toCompletableFuture() {
    observed(); // called for arguments of thenCombine() and the like
    return this;
  }

  @Override
  public CompletionStage<T> minimalCompletionStage() {
    observed();
    return super.minimalCompletionStage();
  }
}
