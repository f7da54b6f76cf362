// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Heddle;
import dev.heddle.Loop;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;

/// The invocation of a test method in real time, on an ordinary loop, which begins before its
/// `@BeforeEach` methods and ends after its `@AfterEach` methods.
final class RealTimeInvocation extends PhaseInterceptor
    implements TestTemplateInvocationContext, BeforeEachCallback, AfterEachCallback {
  private volatile CompletableFuture<@Nullable Phase> next = new CompletableFuture<>();
  private @Nullable Loop<@Nullable Void> loop;

  private record Phase(
      Invocation<@Nullable Void> invocation, CompletableFuture<@Nullable Void> outcome) {}

  @Override
  public String getDisplayName(int invocationIndex) {
    return "real time";
  }

  @Override
  public List<Extension> getAdditionalExtensions() {
    return List.of(this);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    loop =
        Loop.<@Nullable Void>start(() -> {
          try {
            return runAll();
          } finally {
            // a failure has ended the loop: the phases that come cannot run
            var _ = next.thenAccept(RealTimeInvocation::refuse);
          }
        });
  }

  private static void refuse(@Nullable Phase late) {
    if (late != null) {
      late.outcome.completeExceptionally(
          new IllegalStateException("the loop of the test has ended by a failure before"));
    }
  }

  private @Nullable Void runAll() {
    for (Phase phase = Heddle.await(next); phase != null; phase = Heddle.await(next)) {
      next = new CompletableFuture<>();
      try {
        proceed(phase.invocation);
        phase.outcome.complete(null);
      } catch (Throwable e) {
        // safe: thrown on the test's thread
        phase.outcome.completeExceptionally(e);
      }
    }
    return null;
  }

  @Override
  void phase(
      Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> call, Kind kind)
      throws Throwable {
    CompletableFuture<@Nullable Void> outcome = new CompletableFuture<>();
    next.complete(new Phase(invocation, outcome));
    try {
      outcome.get();
    } catch (ExecutionException e) {
      throw e.getCause();
    } catch (InterruptedException e) {
      stop(e);
      throw e;
    }
  }

  // an interrupt of the test's thread is a time-out of JUnit
  private void stop(InterruptedException why) {
    Loop<?> running = loop;
    if (running != null && !running.isDone()) {
      why.addSuppressed(
          new AssertionError("interrupted while these waited:\n" + running.dump().text()));
      running.shutdown(Duration.ZERO);
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    next.complete(null);
    if (loop != null) {
      loop.join(); // throws what the loop has thrown
    }
  }
}
