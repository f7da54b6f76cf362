// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.StockAwait;
import java.util.Objects;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.CoroutineScopeKt;
import kotlinx.coroutines.Job;
import org.jspecify.annotations.Nullable;

/// `launch { finished++ }`: one that is joined, again and again; or a batch, which its
/// `coroutineScope` awaits.
public final class KotlinSpawn implements Program {
  private final int batch;

  /// A program that starts so many at a time; a single one is joined.
  public KotlinSpawn(int batch) {
    this.batch = batch;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    return SuspendingLambda.measure(new Main(batch, Math.max(1, operations / batch), null, null));
  }

  /// The lambda of `runBlocking`.
  private static final class Main extends SuspendingLambda {
    private final int batch;
    private final long batches;
    private final @Nullable CoroutineScope scope;
    private final Meter meter = new Meter();
    private final long[] finished = new long[1];
    private long begun;

    Main(
        int batch,
        long batches,
        @Nullable CoroutineScope scope,
        @Nullable Continuation<Object> completion) {
      super(completion);
      this.batch = batch;
      this.batches = batches;
      this.scope = scope;
    }

    @Override
    SuspendingLambda copy(CoroutineScope in, Continuation<Object> completion) {
      var main = new Main(batch, batches, in, completion);
      main.meter.start();
      return main;
    }

    @Override
    Object step(Object value) {
      while (begun < batches) {
        begun++;
        if (isSuspended(batch == 1 ? one() : all())) {
          return SUSPENDED;
        }
      }
      StockAwait.check(finished[0], batches * batch);
      return meter.stop(batches * batch);
    }

    private @Nullable Object one() {
      Job job = launch(Objects.requireNonNull(scope), new Child(finished, null));
      return job.join(this);
    }

    private @Nullable Object all() {
      return CoroutineScopeKt.coroutineScope(new Batch(batch, finished, null), this);
    }
  }

  /// `{ repeat(batch) { launch { finished++ } } }`.
  private static final class Batch extends SuspendingLambda {
    private final int batch;
    private final long[] finished;

    Batch(int batch, long[] finished, @Nullable Continuation<Object> completion) {
      super(completion);
      this.batch = batch;
      this.finished = finished;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      for (int i = 0; i < batch; i++) {
        launch(scope, new Child(finished, null));
      }
      return new Batch(batch, finished, completion);
    }

    @Override
    Object step(Object value) {
      return Unit.INSTANCE;
    }
  }

  /// `{ finished++ }`.
  private static final class Child extends SuspendingLambda {
    private final long[] finished;

    Child(long[] finished, @Nullable Continuation<Object> completion) {
      super(completion);
      this.finished = finished;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      return new Child(finished, completion);
    }

    @Override
    Object step(Object value) {
      finished[0]++;
      return Unit.INSTANCE;
    }
  }
}
