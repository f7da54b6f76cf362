// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.StockChannel;
import kotlin.coroutines.Continuation;
import kotlin.jvm.functions.Function2;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.channels.Channel;
import kotlinx.coroutines.selects.UnbiasedSelectImplementation;
import org.jspecify.annotations.Nullable;

/// Two coroutines send, each into its channel; a third one receives from either by
/// `selectUnbiased`.
public final class KotlinSelect implements Program {
  private final int capacity;

  /// A program with channels of that capacity.
  public KotlinSelect(int capacity) {
    this.capacity = capacity;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    long even = operations / 2 * 2;
    Channel<Object> left = SuspendingLambda.channel(capacity);
    Channel<Object> right = SuspendingLambda.channel(capacity);
    return SuspendingLambda.measure(new Main(left, right, even, null));
  }

  /// The lambda of `runBlocking`.
  private static final class Main extends SuspendingLambda {
    private static final Function2<Object, Continuation<? super Object>, Object> ITSELF =
        (item, _) -> item;

    private final Channel<Object> left;
    private final Channel<Object> right;
    private final long operations;
    private final Meter meter = new Meter();
    private long received;

    Main(
        Channel<Object> left,
        Channel<Object> right,
        long operations,
        @Nullable Continuation<Object> completion) {
      super(completion);
      this.left = left;
      this.right = right;
      this.operations = operations;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      long each = (StockChannel.WARM + operations) / 2;
      launch(scope, new Producer(left, each, null));
      launch(scope, new Producer(right, each, null));
      return new Main(left, right, operations, completion);
    }

    @Override
    Object step(Object value) {
      while (received < StockChannel.WARM + operations) {
        if (received == StockChannel.WARM) {
          meter.start();
        }
        received++;
        var select = new UnbiasedSelectImplementation<Object>(getContext());
        select.invoke(left.getOnReceive(), ITSELF);
        select.invoke(right.getOnReceive(), ITSELF);
        if (isSuspended(select.doSelect(this))) {
          return SUSPENDED;
        }
      }
      return meter.stop(operations);
    }
  }
}
