// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.StockChannel;
import java.util.Objects;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.channels.Channel;
import kotlinx.coroutines.channels.ReceiveChannel;
import org.jspecify.annotations.Nullable;

/// A coroutine sends, another receives.
public final class KotlinChannel implements Program {
  private final int capacity;

  /// A program with a channel of that capacity.
  public KotlinChannel(int capacity) {
    this.capacity = capacity;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    return SuspendingLambda.measure(new Main(capacity, operations));
  }

  /// The lambda of `runBlocking`.
  private static final class Main extends SuspendingLambda {
    private final int capacity;
    private final long operations;
    private final Meter meter = new Meter();
    private @Nullable ReceiveChannel<Object> channel;
    private long received;

    Main(int capacity, long operations) {
      this(capacity, operations, null);
    }

    private Main(int capacity, long operations, @Nullable Continuation<Object> completion) {
      super(completion);
      this.capacity = capacity;
      this.operations = operations;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      var main = new Main(capacity, operations, completion);
      Channel<Object> made = channel(capacity);
      launch(scope, new Producer(made, StockChannel.WARM + operations, null));
      main.channel = made;
      return main;
    }

    @Override
    Object step(Object value) {
      ReceiveChannel<Object> from = Objects.requireNonNull(channel);
      while (received < StockChannel.WARM + operations) {
        if (received == StockChannel.WARM) {
          meter.start();
        }
        received++;
        if (isSuspended(from.receive(this))) {
          return SUSPENDED;
        }
      }
      return meter.stop(operations);
    }
  }
}
