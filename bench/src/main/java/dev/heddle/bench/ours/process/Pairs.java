// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tally;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import java.util.ArrayList;
import java.util.List;

/// Pairs of processes that send a message to and fro.
public sealed class Pairs extends Resident permits ObservedPairs {
  private final int pairs;

  /// A program of so many pairs.
  public Pairs(int pairs) {
    this.pairs = pairs;
  }

  @Override
  public Sample round(long operations) throws Exception {
    long trips = Math.max(1, operations / pairs); // of each pair
    var tally = new Tally(pairs);
    List<Pid> pongs = spawn(pairs, _ -> new Pong(tally));
    List<Pid> pings = spawn(pairs, i -> new Ping(pongs.get(i), trips, tally));
    List<Ball> balls = new ArrayList<>();
    pings.forEach(ping -> balls.add(new Ball(ping)));
    var meter = new Meter();
    meter.start();
    for (int i = 0; i < pairs; i++) {
      runtime.send(pings.get(i), balls.get(i));
    }
    tally.await();
    Sample sample = meter.stop(pairs * trips);
    awaitEnd(pings);
    terminate(pongs);
    tally.check("answers", pairs * trips);
    return sample;
  }

  /// @param from who wants it back
  private record Ball(Pid from) {}

  private static final class Ping extends Actor {
    private final Pid pong;
    private final Tally tally;
    private long left;

    Ping(Pid pong, long trips, Tally tally) {
      this.pong = pong;
      this.left = trips;
      this.tally = tally;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (left-- > 0) {
          context().send(pong, event.data());
        } else {
          tally.end();
          out.done();
        }
      }
    }
  }

  private static final class Pong extends Actor {
    private final Tally tally;
    private long answered;

    Pong(Tally tally) {
      this.tally = tally;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Ball(Pid from)) {
          context().send(from, event.data());
          answered++;
        }
      }
    }

    @Override
    public void close() {
      tally.add(answered);
    }
  }
}
