// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.PoolWaits;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.Objects;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.DelayKt;
import kotlinx.coroutines.channels.Channel;
import org.jspecify.annotations.Nullable;

/// Coroutines that share the resources in a channel.
public final class KotlinPool implements Program {
  @Override
  public Sample round(long operations) throws InterruptedException {
    long each = operations / PoolWaits.USERS;
    var waits = new PoolWaits();
    var meter = new Meter();
    meter.start();
    SuspendingLambda.run(new Main(each, waits, null));
    return waits.in(meter.stop(each * PoolWaits.USERS));
  }

  /// The lambda of `runBlocking`, which waits for the others at its end.
  private static final class Main extends SuspendingLambda {
    private final long each;
    private final PoolWaits waits;

    Main(long each, PoolWaits waits, @Nullable Continuation<Object> completion) {
      super(completion);
      this.each = each;
      this.waits = waits;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      Channel<Object> pool = channel(PoolWaits.SLOTS);
      launch(scope, new Producer(pool, PoolWaits.SLOTS, null));
      for (int user = 0; user < PoolWaits.USERS; user++) {
        launch(scope, new User(pool, each, waits, null));
      }
      return new Main(each, waits, completion);
    }

    @Override
    Object step(Object value) {
      return Unit.INSTANCE;
    }
  }

  /// `{ repeat(times) { val resource = pool.receive(); delay(HOLD); pool.send(resource) } }`.
  private static final class User extends SuspendingLambda {
    private static final int TO_RECEIVE = 0;
    private static final int RECEIVED = 1;
    private static final int HELD = 2;

    private final Channel<Object> pool;
    private final long times;
    private final PoolWaits waits;
    private int label;
    private long begun;
    private long since;
    private @Nullable Object resource;

    User(
        Channel<Object> pool,
        long times,
        PoolWaits waits,
        @Nullable Continuation<Object> completion) {
      super(completion);
      this.pool = pool;
      this.times = times;
      this.waits = waits;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      return new User(pool, times, waits, completion);
    }

    @Override
    Object step(Object value) {
      Object result = value;
      while (!isSuspended(result)) {
        switch (label) {
          case TO_RECEIVE -> {
            if (begun == times) {
              return Unit.INSTANCE;
            }
            begun++;
            label = RECEIVED;
            since = System.nanoTime();
            result = pool.receive(this);
          }
          case RECEIVED -> {
            waits.since(since);
            resource = result;
            label = HELD;
            result = DelayKt.delay(PoolWaits.HOLD.toMillis(), this);
          }
          default -> {
            label = TO_RECEIVE;
            result = pool.send(Objects.requireNonNull(resource), this);
          }
        }
      }
      return SUSPENDED;
    }
  }
}
