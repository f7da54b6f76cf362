// SPDX-License-Identifier: Apache-2.0
package fresh;

import dev.heddle.Body;
import fresh.library.Ledger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Threads that use a library with static state, for runs that load it anew.
public final class LedgerProgram implements Body<List<String>> {
  private static final int THREADS = 4;

  @Override
  public List<String> run() throws Exception {
    List<Future<?>> added = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
      for (int i = 0; i < 5 * THREADS; i++) {
        String text = "entry " + i;
        added.add(
            pool.submit(() -> {
              Ledger.add(text + " " + new Object().hashCode());
              return null;
            }));
      }
    }
    for (Future<?> one : added) {
      one.get();
    }
    return Ledger.entries();
  }
}
