// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tally;
import dev.heddle.process.Commands;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ShutdownReport;
import dev.heddle.process.StepOutput;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A runtime that is shut down while each of its processes needs some time to clean up.
public final class CleanEnd implements Program {
  /// How long each cleans up.
  public static final Duration CLEAN_UP = Duration.ofMillis(10);

  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final int processes;

  /// A program of so many processes.
  public CleanEnd(int processes) {
    this.processes = processes;
  }

  @Override
  public Sample round(long operations) throws Exception {
    var cleaned = new Tally(0);
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      for (int i = 0; i < processes; i++) {
        var _ = runtime.whenStarted(runtime.spawn(new Careful(cleaned))).get();
      }
      var meter = new Meter();
      meter.start();
      ShutdownReport report = runtime.shutdown(DEADLINE);
      Sample sample = meter.stop(1);
      cleaned.check("clean-ups", processes);
      if (report.asked() != processes || report.terminated() != 0) {
        throw new IllegalStateException(report.toString());
      }
      return sample;
    }
  }

  private static final class Careful extends Actor {
    private static final long CLEANING = 1;

    private final Tally cleaned;

    Careful(Tally cleaned) {
      this.cleaned = cleaned;
    }

    @Override
    public void init(ProcessContext self, String method, @Nullable Object input) {
      super.init(self, method, input);
      self.trapExits();
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.isMessage()) {
          out.execute(CLEANING, Commands.sleep(CLEAN_UP)); // it is asked to end
        } else {
          cleaned.add(1);
          out.done();
        }
      }
    }
  }
}
