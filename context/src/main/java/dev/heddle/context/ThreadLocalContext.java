// SPDX-License-Identifier: Apache-2.0
package dev.heddle.context;

import dev.heddle.Action;
import dev.heddle.Body;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The thread-local contexts of other libraries (SLF4J's MDC, OpenTelemetry's context), captured to
/// be set again in another coroutine: a spawn does not inherit them.
///
/// {@snippet class=dev.heddle.context.ContextSnippetsTest region=wrap}
///
/// Which thread-locals there are is known to Micrometer's
/// [context-propagation](https://docs.micrometer.io/context-propagation/reference/): to the
/// accessors of its [registry][io.micrometer.context.ContextRegistry]. Register one for each
/// library.
///
/// While a wrapped body runs, it sees what was captured, and nothing else in these thread-locals: a
/// value that was absent is absent. When it ends, also by a failure or a cancellation, the values
/// from before are set again, so nothing is left for the next coroutine. A coroutine keeps its
/// thread-locals while it waits; no other one sees them.
///
/// For tasks of other executors no other class is needed: a wrapped body is a
/// [java.util.concurrent.Callable] by its `run`, and Micrometer's
/// [io.micrometer.context.ContextExecutorService] wraps every task of an executor.
///
/// {@snippet class=dev.heddle.context.ContextSnippetsTest region=executor}
///
/// [ScopedValue]s are separate: use [dev.heddle.coroutine.ScopedBindings].
///
/// Immutable; may be used for many spawns, on any loop and thread. The values cross by reference.
///
/// @since 0.1
public final class ThreadLocalContext {
  private static final ContextSnapshotFactory EXACT =
      ContextSnapshotFactory.builder().clearMissing(true).build();

  private final ContextSnapshot snapshot;

  private ThreadLocalContext(ContextSnapshot snapshot) {
    this.snapshot = snapshot;
  }

  /// Captures the current values of all thread-locals that the global registry knows. **Thread**
  /// any.
  public static ThreadLocalContext capture() {
    return new ThreadLocalContext(EXACT.captureAll());
  }

  /// Takes a snapshot that was captured otherwise: by a factory of one's own, or from the context
  /// of a Reactor stream. Its factory decides what becomes of absent values.
  public static ThreadLocalContext of(ContextSnapshot snapshot) {
    return new ThreadLocalContext(Objects.requireNonNull(snapshot, "snapshot"));
  }

  /// Wraps a body so that it runs with these values, wherever it runs.
  public <T extends @Nullable Object> Body<T> wrap(Body<T> body) {
    Objects.requireNonNull(body, "body");
    return () -> {
      try (ContextSnapshot.Scope _ = snapshot.setThreadLocals()) {
        return body.run();
      }
    };
  }

  /// Wraps an action so that it runs with these values, wherever it runs.
  public Action wrap(Action action) {
    Objects.requireNonNull(action, "action");
    return () -> {
      try (ContextSnapshot.Scope _ = snapshot.setThreadLocals()) {
        action.run();
      }
    };
  }

  @Override
  public String toString() {
    return snapshot.toString();
  }
}
