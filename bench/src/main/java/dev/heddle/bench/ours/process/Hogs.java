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
import java.util.ArrayList;
import java.util.List;

/// Processes that always want to go on, one for each worker, and one that is sent a message now and
/// then.
public final class Hogs extends Resident {
  @Override
  public Sample round(long operations) throws Exception {
    var waitTimes = new WaitTimes(operations);
    var probe = new Probe();
    List<Pid> all =
        new ArrayList<>(spawn(Runtime.getRuntime().availableProcessors(), _ -> Hogs::goOn));
    Pid victim = spawn(1, _ -> (events, _) -> answer(events, waitTimes, probe)).getFirst();
    all.add(victim);
    var meter = new Meter();
    meter.start();
    probe.repeat(operations, sent -> runtime.send(victim, sent));
    Sample sample = meter.stop(operations);
    terminate(all);
    return waitTimes.in(sample);
  }

  private static void goOn(List<ProcessEvent> events, StepOutput out) {
    Computation.hold(Probe.HOG_NANOS);
    out.continueNow();
  }

  private static void answer(List<ProcessEvent> events, WaitTimes waitTimes, Probe probe) {
    for (ProcessEvent event : events) {
      if (event.data() instanceof Long sent) {
        waitTimes.since(sent);
        probe.answered();
      }
    }
  }
}
