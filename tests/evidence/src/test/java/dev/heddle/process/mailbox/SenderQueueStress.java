// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.heddle.process.scheduler.EventQueue;
import dev.heddle.process.scheduler.EventQueue.Push;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/// A sender finds a mailbox full while its receiver takes: it is served by one of the two.
public class SenderQueueStress {
  private SenderQueueStress() {}

  /// A mailbox of one, which is full.
  static class Full {
    final EventQueue queue = new EventQueue(1);
    final SenderQueue room = new SenderQueue(queue);
    final SenderQueue.WaitingSender place = new SenderQueue.WaitingSender(new Envelope("late"));

    Full() {
      var _ = queue.push(new Envelope("first"));
    }

    final void take() {
      var _ = queue.take(1);
      room.made();
    }

    final boolean isServed() {
      return place.outcome.isDone();
    }
  }

  /// **Model.** With a lock around each side.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "the sender was served")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "it waits beside an empty mailbox")
  @State
  public static class Model {
    private boolean full = true;
    private boolean waits;
    private boolean served;

    @Actor
    public synchronized void sender() {
      if (full) {
        waits = true;
      } else {
        served = true;
      }
    }

    @Actor
    public synchronized void receiver() {
      full = false;
      served |= waits;
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = served;
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "the sender was served")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "it waits beside an empty mailbox")
  @State
  public static class Real extends Full {
    @Actor
    public void sender() {
      if (room.join(place)) {
        var _ = room.fill();
      }
    }

    @Actor
    public void receiver() {
      take();
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = isServed();
    }
  }

  /// **Real class.** It ends under its sender.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "the sender was told, or refused")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "it waits for one that has ended")
  @State
  public static class RealEnds extends Full {
    private boolean refused;

    @Actor
    public void sender() {
      refused = !room.join(place);
      if (!refused) {
        var _ = room.fill();
      }
    }

    @Actor
    public void receiver() {
      var _ = queue.close();
      room.over();
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = refused || isServed();
    }
  }

  /// **Real class.** A sender leaves the line while there is room for it: it was served, or not.
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "served")
  @Outcome(id = "false, false", expect = ACCEPTABLE, desc = "has left")
  @Outcome(expect = FORBIDDEN, desc = "was told one thing, and the mailbox holds the other")
  @State
  public static class RealLeaves extends Full {
    private boolean left;

    /// With one in line.
    public RealLeaves() {
      var _ = room.join(place);
    }

    @Actor
    public void sender() {
      left = room.withdraw(place);
    }

    @Actor
    public void receiver() {
      take();
    }

    @Arbiter
    public void end(ZZ_Result r) {
      r.r1 = !left && place.outcome.getNow(Push.FULL) == Push.ACCEPTED;
      r.r2 = queue.length() == 1;
    }
  }

  /// **Mutant.** The sender goes into the line and looks no more.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "the sender was served")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "it waits beside an empty mailbox")
  @State
  public static class NoLook extends Full {
    @Actor
    public void sender() {
      if (queue.push(new Envelope("late")) == Push.ACCEPTED) {
        place.outcome.complete(Push.ACCEPTED);
      } else {
        var _ = room.join(place);
      }
    }

    @Actor
    public void receiver() {
      take();
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = isServed();
    }
  }
}
