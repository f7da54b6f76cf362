// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

/// Stock virtual threads that wait for a short time, again and again.
public final class StockNaps implements Program {
  @Override
  public Sample round(long operations) throws Exception {
    long each = Naps.each(operations);
    List<FutureTask<Boolean>> naps = new ArrayList<>();
    for (int i = 0; i < Naps.CROWD; i++) {
      naps.add(
          new FutureTask<>(() -> {
            Naps.take(each);
            return true;
          }));
    }
    var meter = new Meter();
    meter.start();
    naps.forEach(Thread::startVirtualThread);
    for (FutureTask<Boolean> nap : naps) {
      nap.get();
    }
    return meter.stop(each * Naps.CROWD);
  }
}
