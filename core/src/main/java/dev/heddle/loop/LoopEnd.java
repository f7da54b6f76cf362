// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.HeddleOptions;
import dev.heddle.loop.diagnostics.LoopDiagnostics;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The end of a loop, for the threads that deliver signals and those of the JVM's exit, which
/// request it and wait for it.
///
/// **Thread** any.
public final class LoopEnd {
  private final HeddleOptions options;
  private final LoopShutdown loopShutdown;
  private final LoopDiagnostics watch;
  private final CompletableFuture<@Nullable Object> outcome;
  private volatile boolean abandoned;

  LoopEnd(
      HeddleOptions options,
      LoopShutdown loopShutdown,
      LoopDiagnostics watch,
      CompletableFuture<@Nullable Object> outcome) {
    this.options = options;
    this.loopShutdown = loopShutdown;
    this.watch = watch;
    this.outcome = outcome;
  }

  HeddleOptions options() {
    return options;
  }

  LoopShutdown shutdown() {
    return loopShutdown;
  }

  /// Whether `run` has returned or is about to return.
  boolean isOver() {
    return outcome.isDone();
  }

  void await(Duration limit) {
    try {
      outcome.get(TimeUnit.NANOSECONDS.convert(limit), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | CancellationException | TimeoutException _) {
      // safe: it has ended, or cannot; the caller of run() gets the outcome
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Called when the JVM ends without the loop, which has not ended in time.
  void abandon() {
    abandoned = true;
  }

  boolean isAbandoned() {
    return abandoned;
  }

  String holder() {
    return watch.hasEnded() ? "" : watch.holds().report(watch.holds().heldFor()).text();
  }
}
