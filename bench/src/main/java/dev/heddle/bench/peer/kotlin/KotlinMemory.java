// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.measure.LiveHeap;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import kotlin.ResultKt;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.jvm.internal.ContinuationImpl;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.DelayKt;
import kotlinx.coroutines.JobKt;
import kotlinx.coroutines.YieldKt;
import org.jspecify.annotations.Nullable;

/// Coroutines that wait until they are cancelled, below so many suspending calls.
public final class KotlinMemory implements Program {
  private final int depth;

  /// A program that waits below so many calls.
  public KotlinMemory(int depth) {
    this.depth = depth;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    return SuspendingLambda.measure(new Main(depth, Math.toIntExact(operations), null));
  }

  /// The lambda of `runBlocking`.
  private static final class Main extends SuspendingLambda {
    private final int depth;
    private final int count;
    private final Meter meter = new Meter();
    private long before;
    private boolean yielded;

    Main(int depth, int count, @Nullable Continuation<Object> completion) {
      super(completion);
      this.depth = depth;
      this.count = count;
    }

    @Override
    SuspendingLambda copy(CoroutineScope in, Continuation<Object> completion) {
      var main = new Main(depth, count, completion);
      main.before = LiveHeap.bytes();
      main.meter.start();
      for (int i = 0; i < count; i++) {
        launch(in, new Waiting(depth, null));
      }
      return main;
    }

    @Override
    Object step(Object value) {
      if (!yielded) {
        yielded = true;
        if (isSuspended(YieldKt.yield(this))) { // the others begin to wait
          return SUSPENDED;
        }
      }
      Sample sample = meter.stop(count);
      double bytes = LiveHeap.bytes() - before;
      JobKt.cancelChildren(getContext(), null);
      return sample.with("live-bytes", bytes / count);
    }
  }

  /// `{ descend(depth) }`.
  private static final class Waiting extends SuspendingLambda {
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
  }

  /// What the compiler makes of `suspend fun descend(frames: Int) { if (frames > 1) descend(frames
  /// -
  ///   1) else awaitCancellation(); ended++ }`.
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
