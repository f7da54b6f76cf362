// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.L_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/// Two producers fill a queue of two while its consumer polls: what was accepted comes out once,
/// and the bound holds.
public class EventQueueStress {
  private EventQueueStress() {}

  private static final class Item extends EventQueue.Node {
    final int number;

    Item(int number) {
      this.number = number;
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(
      id = "1",
      expect = ACCEPTABLE,
      desc = "what was accepted came out once, never more than two")
  @Outcome(
      id = "0",
      expect = FORBIDDEN,
      desc = "something was lost, came twice, or the bound was passed")
  @State
  public static class Real {
    private static final int BOUND = 2;
    private final EventQueue queue = new EventQueue(BOUND);
    private final Taken taken = new Taken(4);
    private final boolean[] accepted = new boolean[4];
    private boolean above;

    private void push(int number) {
      accepted[number] = queue.push(new Item(number)) == EventQueue.Push.ACCEPTED;
    }

    @Actor
    public void one() {
      push(0);
      push(1);
    }

    @Actor
    public void other() {
      push(2);
      push(3);
    }

    @Actor
    public void consumer() {
      for (int i = 0; i < 2; i++) {
        above |= queue.length() > BOUND;
        poll();
      }
    }

    private boolean poll() {
      if (queue.take(1) instanceof Item item) {
        taken.count(item.number);
        return true;
      }
      return false;
    }

    @Arbiter
    public void end(I_Result r) {
      while (poll()) {}
      for (int i = 0; i < 4; i++) {
        if (!accepted[i]) {
          taken.count(i); // else it would count as lost
        }
      }
      r.r1 = taken.verdict() == Taken.FINE && !above ? 1 : 0;
    }
  }

  /// **Real class.** A queue of two holds one, and one more comes while the consumer takes: there
  /// is room whatever the consumer has done by then.
  @JCStressTest
  @Outcome(id = "ACCEPTED", expect = ACCEPTABLE, desc = "there was room")
  @Outcome(id = "FULL", expect = FORBIDDEN, desc = "what the consumer turns round counted twice")
  @State
  public static class RealHasRoom {
    private final EventQueue queue = new EventQueue(2);

    /// With one node in it.
    public RealHasRoom() {
      var _ = queue.push(new Item(0));
    }

    @Actor
    public void producer(L_Result r) {
      r.r1 = queue.push(new Item(1));
    }

    @Actor
    public void consumer() {
      var _ = queue.take(1);
    }
  }

  /// **Mutant.** The consumer says how many it takes before it has taken them.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "there was room")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "the one node counted twice")
  @State
  public static class CountsTwice {
    private final AtomicInteger stacked = new AtomicInteger(1);
    private volatile int held;

    @Actor
    public void producer(Z_Result r) {
      int seen = stacked.get();
      r.r1 = seen + 1 + held <= 2;
    }

    @Actor
    public void consumer() {
      held = 1;
      stacked.set(0);
    }
  }
}
