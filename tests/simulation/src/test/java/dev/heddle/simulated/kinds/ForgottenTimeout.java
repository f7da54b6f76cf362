// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.kinds;

import static dev.heddle.simulated.program.Program.check;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/// A payment that is tried again when it takes longer than a second. The first attempt is not
/// cancelled, and charges, too.
final class ForgottenTimeout {
  private final AtomicInteger charges = new AtomicInteger();

  void run() throws Exception {
    ExecutorService pool = Executors.newCachedThreadPool();
    boolean paid = false;
    for (int attempt = 0; attempt < 2 && !paid; attempt++) {
      Future<Boolean> payment = pool.submit(this::charge);
      try {
        paid = payment.get(1, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        // payment.cancel(true) is forgotten
      }
    }
    pool.shutdown();
    pool.awaitTermination(1, TimeUnit.MINUTES);
    check(charges.get() <= 1, "charged " + charges + " times");
  }

  private boolean charge() throws InterruptedException {
    Thread.sleep(ThreadLocalRandom.current().nextInt(10, 1_050));
    charges.incrementAndGet();
    return true;
  }
}
