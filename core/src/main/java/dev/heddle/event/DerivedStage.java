// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.Transform;
import dev.heddle.failure.CarriedFailures;
import dev.heddle.failure.FailureTable;
import org.jspecify.annotations.Nullable;

/// Completes a future with the outcome of another one, after a user's function.
abstract class DerivedStage<S extends @Nullable Object, R extends @Nullable Object>
    extends FutureSource {
  final Future<S> source;
  final Future<R> derived;
  private final Object function;

  DerivedStage(Future<S> source, Future<R> derived, Object function) {
    super(source.endEvent());
    this.source = source;
    this.derived = derived;
    this.function = function;
  }

  /// Whether the function applies to such an outcome; any other outcome is passed on unchanged.
  abstract boolean isFor(@Nullable Throwable failure);

  abstract void run() throws Exception;

  // another coroutine may wait for what the function does
  @Override
  final void arm() {
    event.start();
  }

  @Override
  final void disarm() {
    event.stop();
  }

  @Override
  final boolean isDaemon() {
    return true;
  }

  /// Only [Recovery] observes failures; the others pass them on.
  @Override
  public boolean accepts() {
    return false;
  }

  @Override
  public final void onEvent(Event fired, @Nullable Object result, @Nullable Throwable error) {
    unsubscribe();
    if (isFor(error)) {
      derived.home().notifyLater(this::runOrFail);
    } else {
      derived.adopt(source);
    }
  }

  private void runOrFail() {
    if (derived.isDone()) {
      notRun(); // it was cancelled meanwhile
      return;
    }
    try {
      run();
    } catch (Throwable e) {
      FailureTable.throwIfFatal(e);
      failed(e);
    }
  }

  /// The derived future was cancelled before the function ran.
  void notRun() {}

  void failed(Throwable thrown) {
    Throwable carried =
        thrown instanceof Cancellation
            ? CarriedFailures.take(thrown, Cancellation.class::isInstance)
            : null;
    Throwable failure = carried == null ? thrown : carried;
    if (!derived.fail(failure, at())) {
      onLateFailure(failure);
    }
  }

  final void onLateFailure(@Nullable Throwable failure) {
    if (failure != null && !(failure instanceof Cancellation)) {
      derived
          .home()
          .futures()
          .unobserved("a failure arrived after the cancellation of " + derived, failure);
    }
  }

  final void succeed(@Nullable Object value) {
    derived.succeed(value, at());
  }

  // the stack contains only frames of the runtime
  private Object at() {
    return function.getClass();
  }

  /// [Future#map].
  static final class Mapping<S extends @Nullable Object, R extends @Nullable Object>
      extends DerivedStage<S, R> {
    private final Transform<? super S, ? extends R> mapper;

    Mapping(Future<S> source, Future<R> derived, Transform<? super S, ? extends R> mapper) {
      super(source, derived, mapper);
      this.mapper = mapper;
    }

    @Override
    boolean isFor(@Nullable Throwable failure) {
      return failure == null;
    }

    @Override
    void run() throws Exception {
      succeed(mapper.apply(source.value()));
    }
  }

  /// [Future#recover].
  static final class Recovery<T extends @Nullable Object> extends DerivedStage<T, T> {
    private final Transform<? super Throwable, ? extends T> recovery;

    Recovery(
        Future<T> source, Future<T> derived, Transform<? super Throwable, ? extends T> recovery) {
      super(source, derived, recovery);
      this.recovery = recovery;
    }

    @Override
    boolean isFor(@Nullable Throwable failure) {
      return failure != null;
    }

    @Override
    public boolean accepts() {
      return true;
    }

    @Override
    void notRun() {
      onLateFailure(source.failure());
    }

    @Override
    void run() throws Exception {
      Throwable failure = source.failure();
      if (failure != null) {
        succeed(recovery.apply(failure));
      }
    }
  }

  /// [Future#onCompletion].
  static final class Completion<T extends @Nullable Object> extends DerivedStage<T, T> {
    private final Action handler;

    Completion(Future<T> source, Future<T> derived, Action handler) {
      super(source, derived, handler);
      this.handler = handler;
    }

    @Override
    boolean isFor(@Nullable Throwable failure) {
      return true;
    }

    @Override
    void run() throws Exception {
      handler.run();
      derived.adopt(source);
    }

    @Override
    void failed(Throwable thrown) {
      Throwable before = source.failure();
      if (before != null) {
        FailureTable.merge(thrown, before);
        source.observe();
      }
      super.failed(thrown);
    }
  }
}
