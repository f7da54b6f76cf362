// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

/// Socket echo between stock virtual threads.
public final class StockSocket implements Program {
  private final int pairs;

  /// A program of so many pairs.
  public StockSocket(int pairs) {
    this.pairs = pairs;
  }

  @Override
  public Sample round(long operations) throws Exception {
    try (var echo = new SocketEcho(pairs, operations)) {
      List<FutureTask<Boolean>> actors = new ArrayList<>();
      for (int i = 0; i < pairs; i++) {
        actors.add(
            new FutureTask<>(() -> {
              echo.serve();
              return true;
            }));
        actors.add(
            new FutureTask<>(() -> {
              echo.ask();
              return true;
            }));
      }
      actors.forEach(Thread::startVirtualThread);
      for (FutureTask<Boolean> actor : actors) {
        actor.get();
      }
      return echo.sample();
    }
  }
}
