// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tally;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Processes in a ring, round which one message goes.
public final class Ring extends Resident {
  private static final String TOKEN = "token";

  private final int members;

  /// A program of a ring of so many.
  public Ring(int members) {
    this.members = members;
  }

  @Override
  public Sample round(long operations) throws Exception {
    long laps = Math.max(1, operations / members);
    var tally = new Tally(1);
    List<Pid> ring = spawn(members, _ -> new Member(laps, tally));
    for (int i = 0; i < members; i++) {
      runtime.send(ring.get(i), ring.get((i + 1) % members));
    }
    var meter = new Meter();
    meter.start();
    runtime.send(ring.getFirst(), TOKEN);
    tally.await();
    Sample sample = meter.stop(laps * members);
    terminate(ring);
    tally.check("hops", laps * members);
    return sample;
  }

  private static final class Member extends Actor {
    private final long laps;
    private final Tally tally;
    private @Nullable Pid next;
    private long passed;

    Member(long laps, Tally tally) {
      this.laps = laps;
      this.tally = tally;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Pid neighbour) {
          next = neighbour;
        } else if (passed < laps) {
          passed++;
          context().send(Objects.requireNonNull(next), event.data());
        } else {
          tally.end(); // it has come back to the first for the last time
        }
      }
    }

    @Override
    public void close() {
      tally.add(passed);
    }
  }
}
