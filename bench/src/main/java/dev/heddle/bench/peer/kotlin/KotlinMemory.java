// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.measure.LiveHeap;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.CoroutineScope;
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
}
