// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.bench.measure.Computation;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Probe;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Shares;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import java.util.List;

/// A process that wakes many others in one step, all on its own worker.
public final class Spread extends Resident {
  private static final String GO = "go";

  private final int woken;

  /// A program that wakes so many.
  public Spread(int woken) {
    this.woken = woken;
  }

  @Override
  public Sample round(long operations) throws Exception {
    long times = Math.max(1, operations / woken);
    var shares = new Shares();
    var probe = new Probe();
    List<Pid> workers = spawn(woken, _ -> new Computing(shares, probe));
    Pid waker = spawn(1, _ -> new Waker(workers)).getFirst();
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < times; i++) {
      runtime.send(waker, GO);
      probe.await(woken);
    }
    Sample sample = meter.stop(times * woken);
    terminate(workers);
    terminate(List.of(waker));
    return shares.in(sample, times * woken);
  }

  private static final class Waker extends Actor {
    private final List<Pid> others;

    Waker(List<Pid> others) {
      this.others = others;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        others.forEach(other -> context().send(other, event.data()));
      }
    }
  }

  private static final class Computing extends Actor {
    private final Shares shares;
    private final Probe probe;
    private long result = 1;

    Computing(Shares shares, Probe probe) {
      this.shares = shares;
      this.probe = probe;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent _ : events) {
        result = Computation.run(result, Shares.ROUNDS);
        shares.one();
        probe.answered();
      }
    }
  }
}
