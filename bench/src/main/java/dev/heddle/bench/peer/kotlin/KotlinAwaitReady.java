// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.FutureJoin;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.CompletableDeferredKt;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.Deferred;
import org.jspecify.annotations.Nullable;

/// `await()` of values that are there.
public final class KotlinAwaitReady implements Program {
  @SuppressWarnings("unused") // written only: it keeps the results alive
  private long sum;

  @Override
  public Sample round(long operations) throws InterruptedException {
    var main = new Main(Math.max(1, operations / FutureJoin.COMPLETE), this, null);
    return SuspendingLambda.measure(main);
  }

  /// The lambda of `runBlocking`, which is never suspended.
  private static final class Main extends SuspendingLambda {
    private final long laps;
    private final KotlinAwaitReady program;

    Main(long laps, KotlinAwaitReady program, @Nullable Continuation<Object> completion) {
      super(completion);
      this.laps = laps;
      this.program = program;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      return new Main(laps, program, completion);
    }

    @Override
    Object step(Object value) {
      List<Deferred<Integer>> ready = new ArrayList<>();
      for (int i = 0; i < FutureJoin.COMPLETE; i++) {
        ready.add(CompletableDeferredKt.CompletableDeferred(i));
      }
      var meter = new Meter();
      meter.start();
      for (long lap = 0; lap < laps; lap++) {
        program.sum += lap(ready);
      }
      return meter.stop(laps * FutureJoin.COMPLETE);
    }

    private long lap(List<Deferred<Integer>> ready) {
      long sum = 0;
      for (int i = 0; i < FutureJoin.COMPLETE; i++) {
        sum += (Integer) Objects.requireNonNull(ready.get(i).await(this));
      }
      return sum;
    }
  }
}
