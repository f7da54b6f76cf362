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
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A cache whose entries live for a second, with a sweeper. A reader looks whether the entry is
/// fresh, and then takes it out of the map again, which may have lost it.
final class ExpiringCache {
  private static final long LIFE = 1_000;

  private final Map<String, Entry> entries = new ConcurrentHashMap<>();

  private record Entry(String value, long expires) {}

  @Nullable String get(String key) throws InterruptedException {
    Entry entry = entries.get(key);
    if (entry == null || entry.expires() < System.currentTimeMillis()) {
      Thread.sleep(50);
      entries.put(key, new Entry("value", System.currentTimeMillis() + LIFE));
    }
    Entry fresh = entries.get(key);
    return fresh == null ? null : fresh.value();
  }

  void sweep() {
    entries.values().removeIf(entry -> entry.expires() <= System.currentTimeMillis());
  }

  /// Four readers for some seconds, and the sweeper.
  static final class Bug {
    private final ExpiringCache cache = new ExpiringCache();

    void run() throws Exception {
      ScheduledExecutorService sweeper = Executors.newSingleThreadScheduledExecutor();
      sweeper.scheduleAtFixedRate(cache::sweep, 1_050, 1_050, TimeUnit.MILLISECONDS);
      try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<?>> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          readers.add(pool.submit(this::read));
        }
        for (Future<?> reader : readers) {
          reader.get();
        }
      } finally {
        sweeper.shutdownNow();
        sweeper.awaitTermination(1, TimeUnit.MINUTES);
      }
    }

    private @Nullable Void read() throws InterruptedException {
      for (int i = 0; i < 20; i++) {
        check(cache.get("key") != null, "the entry is gone between the check and the use");
        Thread.sleep(ThreadLocalRandom.current().nextInt(1, 400));
      }
      return null;
    }
  }
}
