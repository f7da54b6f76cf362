// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.kinds;

import static dev.heddle.simulated.program.Program.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

/// Three payments into one account. Each reads the row, adds and writes it back, by queries of some
/// milliseconds.
final class LostUpdate {
  private static final int PAYMENTS = 3;

  private final Map<String, Integer> rows = new ConcurrentHashMap<>(Map.of("anna", 100));

  void run() throws Exception {
    try (ExecutorService pool = Executors.newFixedThreadPool(PAYMENTS)) {
      List<Future<?>> payments = new ArrayList<>();
      for (int i = 0; i < PAYMENTS; i++) {
        int delay = 10 * i;
        payments.add(
            pool.submit(() -> {
              Thread.sleep(delay + ThreadLocalRandom.current().nextInt(200));
              store(load() + 10);
              return null;
            }));
      }
      for (Future<?> payment : payments) {
        payment.get();
      }
    }
    int balance = rows.get("anna");
    check(balance == 100 + 10 * PAYMENTS, "a payment is lost, the balance is " + balance);
  }

  private int load() throws InterruptedException {
    query();
    return rows.get("anna");
  }

  private void store(int balance) throws InterruptedException {
    query();
    rows.put("anna", balance);
  }

  private static void query() throws InterruptedException {
    Thread.sleep(ThreadLocalRandom.current().nextInt(1, 4));
  }
}
