// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import kotlin.ResultKt;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.jvm.internal.ContinuationImpl;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.DelayKt;
import org.jspecify.annotations.Nullable;

/// `{ descend(depth) }`: waits until it is cancelled, below so many suspending calls.
final class Waiting extends SuspendingLambda {
  private final int depth;
  private boolean begun;

  Waiting(int depth, @Nullable Continuation<Object> completion) {
    super(completion);
    this.depth = depth;
  }

  @Override
  SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
    return new Waiting(depth, completion);
  }

  @Override
  Object step(Object value) {
    if (!begun) {
      begun = true;
      if (isSuspended(Frame.descend(depth, this))) {
        return SUSPENDED;
      }
    }
    return Unit.INSTANCE;
  }

  /// What the compiler makes of a `suspend fun descend(frames: Int)` that calls itself, and at last
  /// `awaitCancellation()`, with a statement behind each call.
  private static final class Frame extends ContinuationImpl {
    Frame(Continuation<Object> completion) {
      super(completion);
    }

    static @Nullable Object descend(int frames, Continuation<Object> caller) {
      var frame = new Frame(caller);
      return frames > 1 ? descend(frames - 1, frame) : DelayKt.awaitCancellation(frame);
    }

    @Override
    protected Object invokeSuspend(Object result) {
      ResultKt.throwOnFailure(result);
      return Unit.INSTANCE;
    }
  }
}
