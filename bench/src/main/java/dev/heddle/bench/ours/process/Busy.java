// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.bench.measure.Computation;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Probe;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.WaitTimes;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import java.util.List;

/// A process that sends a message to an idle one, and then computes in the same step. One worker is
/// busy, the others sleep.
public final class Busy extends Resident {
  @Override
  public Sample round(long operations) throws Exception {
    var waitTimes = new WaitTimes(operations);
    var probe = new Probe(2);
    Pid idle = spawn(1, _ -> (events, _) -> take(events, waitTimes, probe)).getFirst();
    Pid busy = spawn(1, _ -> new Computing(idle, probe)).getFirst();
    var meter = new Meter();
    meter.start();
    probe.repeat(operations, sent -> runtime.send(busy, sent));
    Sample sample = meter.stop(operations);
    terminate(List.of(busy, idle));
    return waitTimes.in(sample);
  }

  private static void take(List<ProcessEvent> events, WaitTimes waitTimes, Probe probe) {
    for (ProcessEvent event : events) {
      if (event.data() instanceof Long sent) {
        waitTimes.since(sent);
        probe.answered(); // on a busy machine behind the busy one
      }
    }
  }

  private static final class Computing extends Actor {
    private final Pid idle;
    private final Probe probe;

    Computing(Pid idle, Probe probe) {
      this.idle = idle;
      this.probe = probe;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      if (!events.isEmpty()) {
        context().send(idle, System.nanoTime());
        Computation.hold(Probe.BUSY_NANOS);
        probe.answered();
      }
    }
  }
}
