// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ShutdownReport;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/// A runtime that is shut down while one of its processes is in a step that does not return.
public final class BlockedEnd implements Program {
  private static final Duration DEADLINE = Duration.ofMillis(100);

  @Override
  public Sample round(long operations) throws Exception {
    var held = new CountDownLatch(1);
    var inStep = new CountDownLatch(1);
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      Pid pid =
          runtime.spawn((_, _) -> {
            inStep.countDown();
            held.await();
          });
      inStep.await();
      var meter = new Meter();
      meter.start();
      ShutdownReport report = runtime.shutdown(DEADLINE);
      Sample sample = meter.stop(1);
      if (report.abandoned().size() != 1 || !report.abandoned().getFirst().pid().equals(pid)) {
        throw new IllegalStateException(report.toString());
      }
      return sample;
    } finally {
      held.countDown();
    }
  }
}
