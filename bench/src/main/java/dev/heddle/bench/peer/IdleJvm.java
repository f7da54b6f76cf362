// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Quiet;
import dev.heddle.bench.measure.Sample;

/// A JVM that does nothing: what idling costs before any runtime is there.
public final class IdleJvm implements Program {
  @Override
  public Sample round(long operations) throws InterruptedException {
    return Quiet.watch(operations);
  }
}
