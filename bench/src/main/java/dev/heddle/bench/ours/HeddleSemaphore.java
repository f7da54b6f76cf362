// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.StockSemaphore;
import dev.heddle.sync.Semaphore;

/// Coroutines that acquire a permit and release it: one alone; or many, each of which lets the
/// others run while it holds the permit.
public final class HeddleSemaphore implements Program {
  private final int users;

  /// A program with so many coroutines.
  public HeddleSemaphore(int users) {
    this.users = users;
  }

  @Override
  public Sample round(long operations) {
    return Heddle.run(() -> {
      var semaphore = new Semaphore(StockSemaphore.PERMITS);
      return users == 1 ? alone(semaphore, operations) : together(semaphore, operations / users);
    });
  }

  private static Sample alone(Semaphore semaphore, long operations) {
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      semaphore.acquire();
      semaphore.release();
    }
    return meter.stop(operations);
  }

  private Sample together(Semaphore semaphore, long each) {
    var meter = new Meter();
    meter.start();
    Heddle.scope(scope -> {
      for (int user = 0; user < users; user++) {
        scope.launch("user", () -> use(semaphore, each));
      }
      return null;
    });
    return meter.stop(each * users);
  }

  private static void use(Semaphore semaphore, long times) {
    for (long i = 0; i < times; i++) {
      semaphore.acquire();
      Heddle.yieldNow();
      semaphore.release();
    }
  }
}
