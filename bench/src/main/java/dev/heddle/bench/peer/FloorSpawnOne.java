// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import org.jspecify.annotations.Nullable;

/// A bare virtual thread that makes another, suspends until that one has ended, and goes on: what
/// the shape costs before anybody counts, links or cleans anything.
public final class FloorSpawnOne implements Program {
  private long finished; // one thread at a time
  private @Nullable Floor child; // handed to the loop below by the spawner

  @Override
  public Sample round(long operations) {
    var meter = new Meter();
    var spawner = new Floor(() -> spawn(operations)).start();
    meter.start();
    spawner.resume();
    for (Floor next = child; next != null; next = child) {
      child = null;
      next.resume();
      spawner.resume();
    }
    return meter.stop(operations);
  }

  private void spawn(long operations) {
    for (long i = 0; i < operations; i++) {
      child = new Floor(() -> finished++).start();
      Thread.yield();
    }
  }
}
