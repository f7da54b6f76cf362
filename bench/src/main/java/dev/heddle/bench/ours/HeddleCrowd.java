// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.WaitCancelledException;
import dev.heddle.bench.measure.CpuClock;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/// Coroutines that wait for one thing, until it has ended for all of them: from the moment in which
/// it begins to end to the end of the last coroutine.
public final class HeddleCrowd implements Program {
  /// The count of its samples: CPU time of the loop's thread per coroutine, in nanoseconds.
  public static final String CARRIER = "carrier-nanos";

  private static final HeddleOptions UNWATCHED =
      HeddleOptions.defaults().withHoldLimit(Duration.ZERO);

  /// How it ends.
  public enum Way {
    /// The promise that they wait for is completed.
    WOKEN,
    /// Each is cancelled, in no order.
    CANCELLED,
    /// Their scope is cancelled.
    SCOPE,
    /// The deadline of their waits runs out; beginning them is part of it.
    TIMED_OUT,
    /// The token of the block that they are in fires.
    WITHIN
  }

  private final Way way;

  /// A program that ends waits that way.
  public HeddleCrowd(Way way) {
    this.way = way;
  }

  @Override
  public Sample round(long operations) {
    var meter = new Meter();
    return Heddle.run(
        UNWATCHED,
        () -> {
          Promise<String> shared = Heddle.promise();
          Promise<String> gate = Heddle.promise();
          long[] begun = new long[1];
          Heddle.scope(scope -> {
            List<Coroutine<?>> waiting = new ArrayList<>();
            for (long i = 0; i < operations; i++) {
              waiting.add(scope.spawn(() -> await(shared, gate)));
            }
            if (way == Way.CANCELLED) {
              Collections.shuffle(waiting, new Random(operations));
            }
            Heddle.yieldNow();
            meter.start();
            begun[0] = CpuClock.ofThisThread();
            end(scope, waiting, shared, gate);
            return null;
          });
          double carrier = CpuClock.ofThisThread() - begun[0];
          return meter.stop(operations).with(CARRIER, carrier / operations);
        });
  }

  private void await(Promise<String> shared, Promise<String> gate) {
    switch (way) {
      case WOKEN, CANCELLED, SCOPE -> shared.future().await();
      case TIMED_OUT -> {
        gate.future().await();
        try {
          shared.future().await(Deadline.after(Duration.ofMillis(1)));
        } catch (DeadlineException _) {
          // safe: the end that is measured
        }
      }
      case WITHIN -> {
        try {
          Heddle.cancelWhen(shared.future(), () -> gate.future().await());
        } catch (WaitCancelledException _) {
          // safe: the end that is measured
        }
      }
    }
  }

  private void end(
      Scope scope, List<Coroutine<?>> waiting, Promise<String> shared, Promise<String> gate) {
    switch (way) {
      case WOKEN, WITHIN -> shared.complete("go on");
      case CANCELLED -> waiting.forEach(c -> c.cancel("one by one"));
      case SCOPE -> scope.cancel("all at once");
      case TIMED_OUT -> gate.complete("begin");
    }
  }
}
