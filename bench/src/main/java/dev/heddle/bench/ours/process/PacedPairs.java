// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.bench.measure.Computation;
import dev.heddle.bench.measure.PacedRound;
import dev.heddle.bench.measure.Probe;
import dev.heddle.bench.measure.Sample;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import java.util.ArrayList;
import java.util.List;

/// Pairs of processes: a message from outside goes to the first, on to the second, and back. Beside
/// them, perhaps, processes that always want to go on, one for each worker.
public final class PacedPairs extends Resident {
  private final int pairs;
  private final boolean hogs;
  private final int perSecond;

  /// A program of so many pairs.
  ///
  /// @param perSecond how many messages; 0: each after the last answer of its pair
  public PacedPairs(int pairs, boolean hogs, int perSecond) {
    this.pairs = pairs;
    this.hogs = hogs;
    this.perSecond = perSecond;
  }

  @Override
  public Sample round(long operations) throws Exception {
    var round = new PacedRound(pairs);
    List<Pid> seconds = spawn(pairs, _ -> new Second());
    List<Pid> firsts = spawn(pairs, i -> new First(seconds.get(i), i, round));
    List<Pid> all = new ArrayList<>(firsts);
    all.addAll(seconds);
    if (hogs) {
      all.addAll(spawn(Runtime.getRuntime().availableProcessors(), _ -> PacedPairs::goOn));
    }
    PacedRound.Send send = (target, due) -> runtime.send(firsts.get(target), due);
    Sample sample =
        perSecond == 0 ? round.closed(operations, send) : round.paced(operations, perSecond, send);
    terminate(all);
    return sample;
  }

  private static void goOn(List<ProcessEvent> events, StepOutput out) {
    Computation.hold(Probe.HOG_NANOS);
    out.continueNow();
  }

  /// @param from who wants it back
  /// @param due when it was due
  private record Ball(Pid from, long due) {}

  private static final class First extends Actor {
    private final Pid second;
    private final int number;
    private final PacedRound round;

    First(Pid second, int number, PacedRound round) {
      this.second = second;
      this.number = number;
      this.round = round;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Long due) {
          context().send(second, new Ball(context().self(), due));
        } else if (event.data() instanceof Ball ball) {
          round.answered(number, ball.due());
        }
      }
    }
  }

  private static final class Second extends Actor {
    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Ball ball) {
          context().send(ball.from(), ball);
        }
      }
    }
  }
}
