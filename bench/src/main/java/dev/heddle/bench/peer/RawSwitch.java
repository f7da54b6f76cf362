// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import jdk.internal.vm.Continuation;
import jdk.internal.vm.ContinuationScope;

/// The JDK's raw continuations yielding in turn: the limit, not usable for user code.
public final class RawSwitch implements Program {
  static final ContinuationScope SCOPE = new ContinuationScope("bench");

  private final int actors;

  /// A program of so many continuations.
  public RawSwitch(int actors) {
    this.actors = actors;
  }

  @Override
  public Sample round(long operations) {
    long laps = FloorSwitch.WARM_LAPS + Math.max(2, operations / actors);
    Runnable body =
        () -> {
          for (long i = 0; i < laps; i++) {
            Continuation.yield(SCOPE);
          }
        };
    var continuations = new Continuation[actors];
    for (int i = 0; i < actors; i++) {
      continuations[i] = new Continuation(SCOPE, body);
    }
    for (int i = 0; i < FloorSwitch.WARM_LAPS; i++) {
      lap(continuations);
    }
    var meter = new Meter();
    meter.start();
    for (long i = FloorSwitch.WARM_LAPS; i < laps; i++) {
      lap(continuations);
    }
    Sample sample = meter.stop((laps - FloorSwitch.WARM_LAPS) * actors);
    lap(continuations); // they end
    return sample;
  }

  private static void lap(Continuation[] continuations) {
    for (Continuation continuation : continuations) {
      continuation.run();
    }
  }
}
