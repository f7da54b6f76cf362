// SPDX-License-Identifier: Apache-2.0
package fresh.library;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/// A library that keeps its entries, a clock and an id in static fields.
public final class Ledger {
  private static final long BEGUN = System.nanoTime();
  private static final UUID ID = UUID.randomUUID();
  private static final List<String> ENTRIES = new ArrayList<>();

  private Ledger() {}

  /// Adds an entry, after a wait of up to a minute.
  public static void add(String text) throws InterruptedException {
    Thread.sleep(ThreadLocalRandom.current().nextInt(60_000));
    synchronized (ENTRIES) {
      ENTRIES.add(text + " " + (System.nanoTime() - BEGUN) + " " + ID);
      Thread.yield();
    }
  }

  /// What has been added since the class was loaded.
  public static List<String> entries() {
    synchronized (ENTRIES) {
      return List.copyOf(ENTRIES);
    }
  }
}
