// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.measure.Sample;
import java.util.Objects;
import kotlin.ResultKt;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlin.coroutines.intrinsics.IntrinsicsKt;
import kotlin.coroutines.jvm.internal.SuspendLambda;
import kotlin.jvm.functions.Function2;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.CoroutineStart;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.channels.BufferOverflow;
import kotlinx.coroutines.channels.Channel;
import kotlinx.coroutines.channels.ChannelKt;
import org.jspecify.annotations.Nullable;

/// What Kotlin's compiler makes of `suspend CoroutineScope.() -> T`: an object that is the lambda,
/// and, once copied for a start, the coroutine's state and its continuation.
///
/// A suspending call gets the machine as its last argument. It returns [#SUSPENDED] when it will
/// resume the machine later, and the machine then returns the same; else it returns its value. What
/// outlives the call is in fields before it is made.
abstract class SuspendingLambda extends SuspendLambda implements Function2<Object, Object, Object> {
  static final Object SUSPENDED = IntrinsicsKt.getCOROUTINE_SUSPENDED();

  private static final int ARITY = 2; // the scope and the continuation

  SuspendingLambda(@Nullable Continuation<Object> completion) {
    super(ARITY, completion);
  }

  /// A copy for a start in `scope`, which resumes `completion` at its end.
  abstract SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion);

  /// Goes on from where it was suspended last.
  ///
  /// @param value of the call that has suspended it
  /// @return [#SUSPENDED], or its value
  abstract Object step(Object value);

  @Override
  @SuppressWarnings("unchecked") // a continuation takes any value: it is erased
  public final Continuation<Unit> create(@Nullable Object scope, Continuation<?> completion) {
    Continuation<?> started =
        copy((CoroutineScope) Objects.requireNonNull(scope), (Continuation<Object>) completion);
    return (Continuation<Unit>) started;
  }

  @Override
  @SuppressWarnings("unchecked") // the same
  public final Object invoke(Object scope, Object completion) {
    return copy((CoroutineScope) scope, (Continuation<Object>) completion).step(Unit.INSTANCE);
  }

  @Override
  protected final Object invokeSuspend(Object result) {
    ResultKt.throwOnFailure(result);
    return step(result);
  }

  /// Tells whether a suspending call has returned [#SUSPENDED].
  @SuppressWarnings("ReferenceEquality") // Kotlin's marker is one object
  static boolean isSuspended(@Nullable Object returned) {
    return returned == SUSPENDED;
  }

  /// `runBlocking { ... }` whose value is a measurement.
  static Sample measure(SuspendingLambda main) throws InterruptedException {
    return BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, main);
  }

  /// `runBlocking { ... }` that has no value.
  static void run(SuspendingLambda main) throws InterruptedException {
    BuildersKt.<Object>runBlocking(EmptyCoroutineContext.INSTANCE, main);
  }

  /// `scope.launch { ... }`.
  static Job launch(CoroutineScope scope, SuspendingLambda body) {
    return BuildersKt.launch(scope, EmptyCoroutineContext.INSTANCE, CoroutineStart.DEFAULT, body);
  }

  /// `Channel(capacity)`.
  static Channel<Object> channel(int capacity) {
    return ChannelKt.Channel(capacity, BufferOverflow.SUSPEND, null);
  }
}
