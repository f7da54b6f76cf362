// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.event.Promise;
import dev.heddle.loop.LoopRuntime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Pieces of the main coroutine's work, handed over one by one by another thread: what runs before
/// a test, the test, what runs after it.
///
/// The main coroutine waits between two phases. The others then run as far as they can, and the
/// clock stands still; the next phase begins when nothing is ready. So the course of a run does not
/// depend on when the other thread comes.
public final class Phases {
  private static final Action END = () -> {};
  private static final long PATIENCE_SECONDS = 5; // for a dump, by a loop that may hang

  // the other thread writes, the carrier reads and clears
  private volatile @Nullable Phase next;

  // the carrier writes, the other thread reads
  private volatile @Nullable LoopRuntime loop;

  // the carrier writes; also read when it does not end
  private volatile @Nullable Throwable first; // failure of a phase, while the loop did not stop

  // loop only
  private @Nullable Promise<Phase> awaited;

  private record Phase(Action work, CompletableFuture<@Nullable Throwable> outcome) {}

  // ---- the other thread ----

  /// Has the main coroutine run `work`.
  ///
  /// @return completed with what `work` has thrown, or with null. Never completed when the run ends
  ///   before `work` begins
  public CompletableFuture<@Nullable Throwable> start(Action work) {
    Phase phase = new Phase(work, new CompletableFuture<>());
    next = phase;
    return phase.outcome;
  }

  /// Has the main coroutine end, after the phases before.
  public void end() {
    var _ = start(END);
  }

  /// What each coroutine waits for now; null: there is no run, or its loop does not answer.
  public @Nullable String describeWaiters() {
    LoopRuntime running = loop;
    try {
      return running == null ? null : running.askForDump().get(PATIENCE_SECONDS, SECONDS).text();
    } catch (ExecutionException | TimeoutException _) {
      return null; // safe: a loop that has ended, or a coroutine that holds it
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  /// Stops the loop, as an interrupt of its thread does.
  public void stop() {
    LoopRuntime running = loop;
    if (running != null) {
      running.shutdown().requestByInterrupt();
    }
  }

  // ---- the main coroutine ----

  /// Runs the phases until the end, and then throws the first failure of them, with the later ones
  /// suppressed in it.
  void runAll() throws Exception {
    Throwable thrown = null;
    for (Phase phase = await(); phase.work != END; phase = await()) {
      Throwable next = outcome(phase.work);
      if (thrown == null) {
        thrown = next;
        first = isStopping() ? null : next;
      } else if (next != null && next != thrown && !(next instanceof Cancellation)) {
        thrown.addSuppressed(next);
      }
      phase.outcome.complete(next);
    }
    switch (thrown) {
      case null -> {}
      case Exception failure -> throw failure;
      case Error failure -> throw failure;
      default -> throw new IllegalStateException(thrown);
    }
  }

  private boolean isStopping() {
    LoopRuntime running = loop;
    return running != null && running.shutdown().isStopping();
  }

  /// Why the run has failed, whose loop has failed with `last`: as by a deadlock in what runs after
  /// a test that has failed. That the test has failed comes first.
  Throwable cause(Throwable last) {
    Throwable before = first;
    if (before == null || before == last || before == last.getCause()) {
      return last; // its cause: a checked exception is wrapped
    }
    if (!List.of(before.getSuppressed()).contains(last)) {
      before.addSuppressed(last);
    }
    return before;
  }

  private Phase await() {
    Promise<Phase> promise = new Promise<>("the next phase of the test");
    awaited = promise;
    return promise.future().await();
  }

  private static @Nullable Throwable outcome(Action work) {
    try {
      work.run();
      return null;
    } catch (Throwable e) {
      // safe: the other thread gets it, and runAll() throws it
      return e;
    }
  }

  // ---- carrier ----

  void attach(LoopRuntime started) {
    loop = started;
  }

  /// Whether the main coroutine waits for a phase.
  boolean isBetween() {
    return awaited != null;
  }

  /// Begins the next phase, if it is there.
  ///
  /// @return whether it was
  boolean begin() {
    Phase phase = next;
    Promise<Phase> promise = awaited;
    if (phase == null || promise == null) {
      return false;
    }
    next = null;
    awaited = null;
    promise.complete(phase);
    return true;
  }
}
