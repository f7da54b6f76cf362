// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.PoolWaits;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.sync.Pool;
import dev.heddle.sync.PoolOptions;

/// Coroutines that share the resources of a pool.
public final class HeddlePool implements Program {
  @Override
  public Sample round(long operations) {
    long each = operations / PoolWaits.USERS;
    return Heddle.run(() -> {
      var waits = new PoolWaits();
      var meter = new Meter();
      var options = PoolOptions.of(Object::new).withSize(PoolWaits.SLOTS, PoolWaits.SLOTS);
      try (Pool<Object> pool = Pool.open(options)) {
        meter.start();
        Heddle.scope(scope -> {
          for (int user = 0; user < PoolWaits.USERS; user++) {
            scope.launch("user", () -> use(pool, each, waits));
          }
          return null;
        });
      }
      return waits.in(meter.stop(each * PoolWaits.USERS));
    });
  }

  private static void use(Pool<Object> pool, long times, PoolWaits waits) {
    for (long i = 0; i < times; i++) {
      long begun = System.nanoTime();
      try (var _ = pool.acquire()) {
        waits.since(begun);
        Heddle.delay(PoolWaits.HOLD);
      }
    }
  }
}
