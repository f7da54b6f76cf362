// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tally;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import java.util.List;

/// A process that starts others in batches: each tells it so in its only step, and ends.
public final class Spawn extends Resident {
  private static final String HELLO = "hello";

  private final int batch;

  /// A program that starts so many at once.
  public Spawn(int batch) {
    this.batch = batch;
  }

  @Override
  public Sample round(long operations) throws Exception {
    long batches = Math.max(1, operations / batch);
    var tally = new Tally(1);
    var meter = new Meter();
    meter.start();
    Pid parent = runtime.spawn(new Parent(batches, tally));
    tally.await();
    Sample sample = meter.stop(batches * batch);
    awaitEnd(List.of(parent));
    awaitNone();
    tally.check("greetings", batches * batch);
    return sample;
  }

  private final class Parent extends Actor {
    private final Tally tally;
    private long batches;
    private long greetings;
    private int children;

    Parent(long batches, Tally tally) {
      this.batches = batches;
      this.tally = tally;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      greetings += events.size();
      children -= events.size();
      if (children == 0 && batches-- == 0) {
        tally.add(greetings);
        tally.end();
        out.done();
      } else if (children == 0) {
        for (; children < batch; children++) {
          var _ = context().spawn(new Child(context().self()));
        }
      }
    }
  }

  private static final class Child extends Actor {
    private final Pid parent;

    Child(Pid parent) {
      this.parent = parent;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      context().send(parent, HELLO);
      out.done();
    }
  }
}
