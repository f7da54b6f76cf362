// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.StockSemaphore;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.YieldKt;
import kotlinx.coroutines.sync.Semaphore;
import kotlinx.coroutines.sync.SemaphoreKt;
import org.jspecify.annotations.Nullable;

/// Coroutines that acquire a permit and release it: one alone; or many, each of which lets the
/// others run while it holds the permit.
public final class KotlinSemaphore implements Program {
  private final int users;

  /// A program with so many coroutines.
  public KotlinSemaphore(int users) {
    this.users = users;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    Semaphore semaphore = SemaphoreKt.Semaphore(StockSemaphore.PERMITS, 0);
    long each = operations / users;
    Meter meter = new Meter();
    meter.start();
    SuspendingLambda.run(new Main(semaphore, users, each, null));
    return meter.stop(each * users);
  }

  /// The lambda of `runBlocking`, which waits for the others at its end.
  private static final class Main extends SuspendingLambda {
    private final Semaphore semaphore;
    private final int users;
    private final long each;

    Main(Semaphore semaphore, int users, long each, @Nullable Continuation<Object> completion) {
      super(completion);
      this.semaphore = semaphore;
      this.users = users;
      this.each = each;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      for (int user = 0; user < users; user++) {
        launch(scope, new User(semaphore, users > 1, each, null));
      }
      return new Main(semaphore, users, each, completion);
    }

    @Override
    Object step(Object value) {
      return Unit.INSTANCE;
    }
  }

  /// `{ repeat(times) { semaphore.acquire(); yield(); semaphore.release() } }`.
  private static final class User extends SuspendingLambda {
    private static final int TO_ACQUIRE = 0;
    private static final int ACQUIRED = 1;
    private static final int YIELDED = 2;

    private final Semaphore semaphore;
    private final boolean yields;
    private final long times;
    private int label;
    private long begun;

    User(
        Semaphore semaphore,
        boolean yields,
        long times,
        @Nullable Continuation<Object> completion) {
      super(completion);
      this.semaphore = semaphore;
      this.yields = yields;
      this.times = times;
    }

    @Override
    SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
      return new User(semaphore, yields, times, completion);
    }

    @Override
    Object step(Object value) {
      while (true) {
        switch (label) {
          case TO_ACQUIRE -> {
            if (begun == times) {
              return Unit.INSTANCE;
            }
            begun++;
            label = ACQUIRED;
            if (isSuspended(semaphore.acquire(this))) {
              return SUSPENDED;
            }
          }
          case ACQUIRED -> {
            label = YIELDED;
            if (yields && isSuspended(YieldKt.yield(this))) {
              return SUSPENDED;
            }
          }
          default -> {
            label = TO_ACQUIRE;
            semaphore.release();
          }
        }
      }
    }
  }
}
