// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import jdk.internal.vm.Continuation;

/// Raw continuations made, run to their end and dropped, one after the other: the limit.
public final class RawSpawn implements Program {
  private long finished; // measuring thread only

  @Override
  public Sample round(long operations) {
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < operations; i++) {
      new Continuation(RawSwitch.SCOPE, () -> finished++).run();
    }
    return meter.stop(operations);
  }
}
