// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.StockAwait;
import java.util.Objects;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.CoroutineStart;
import kotlinx.coroutines.Deferred;
import org.jspecify.annotations.Nullable;

/// `async { 1 }.await()`; or two of them together.
public final class KotlinAwait implements Program {
  private final int together;

  /// A program that begins so many, and then awaits them.
  public KotlinAwait(int together) {
    this.together = together;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    return SuspendingLambda.measure(new Main(together, operations, null, null));
  }

  /// `{ 1 }`.
  private static final class Child extends SuspendingLambda {
    Child(@Nullable Continuation<Object> completion) {
      super(completion);
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      return new Child(completion);
    }

    @Override
    Object step(Object value) {
      return 1;
    }
  }

  /// The lambda of `runBlocking`.
  private static final class Main extends SuspendingLambda {
    private final int together;
    private final long operations;
    private final @Nullable CoroutineScope scope;
    private final Meter meter = new Meter();
    private long begun;
    private long sum;
    private @Nullable Deferred<Integer> next; // the second one of two

    Main(
        int together,
        long operations,
        @Nullable CoroutineScope scope,
        @Nullable Continuation<Object> completion) {
      super(completion);
      this.together = together;
      this.operations = operations;
      this.scope = scope;
    }

    @Override
    SuspendingLambda copy(CoroutineScope in, Continuation<Object> completion) {
      var main = new Main(together, operations, in, completion);
      main.meter.start();
      return main;
    }

    @Override
    Object step(Object value) {
      if (value instanceof Integer result) {
        sum += result;
      }
      while (true) {
        Deferred<Integer> awaited = next;
        if (awaited != null) {
          next = null;
        } else if (begun < operations) {
          begun++;
          awaited = async();
          next = together == 2 ? async() : null;
        } else {
          break;
        }
        Object result = awaited.await(this);
        if (isSuspended(result)) {
          return SUSPENDED;
        }
        sum += (Integer) Objects.requireNonNull(result);
      }
      StockAwait.check(sum, operations * together);
      return meter.stop(operations);
    }

    private Deferred<Integer> async() {
      return BuildersKt.async(
          Objects.requireNonNull(scope),
          EmptyCoroutineContext.INSTANCE,
          CoroutineStart.DEFAULT,
          new Child(null));
    }
  }
}
