// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.ArrayDeque;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// An owner pops, or takes the oldest, while a thief takes half: each item is taken once. With a
/// reach of 2, four items show both ways of popping: the first pops are far from the thief, the
/// last ones are near.
public class WorkDequeStress {
  private WorkDequeStress() {}

  /// **Model.** What the deque promises, with a lock.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each item was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "an item was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "an item was taken twice")
  @State
  public static class Model {
    private final Taken taken = new Taken(4);
    private final ArrayDeque<Integer> deque = new ArrayDeque<>();

    public Model() {
      for (int i = 0; i < 4; i++) {
        deque.push(i);
      }
    }

    @Actor
    public void owner() {
      for (int i = 0; i < 3; i++) {
        synchronized (this) {
          taken.count(deque.pollFirst());
        }
      }
    }

    @Actor
    public void thief() {
      synchronized (this) {
        for (int n = Math.max(1, deque.size() / 2); n > 0; n--) {
          taken.count(deque.pollLast());
        }
      }
    }

    @Arbiter
    public void end(I_Result r) {
      for (Integer item : deque) {
        taken.count(item);
      }
      r.r1 = taken.verdict();
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each item was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "an item was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "an item was taken twice")
  @State
  public static class Real {
    private final Taken taken = new Taken(4);
    private final WorkDeque<Integer> deque = new WorkDeque<>(4, -1, 2);
    private final WorkDeque<Integer> own = new WorkDeque<>(4, 0, 2);

    public Real() {
      for (int i = 0; i < 4; i++) {
        deque.push(i);
      }
    }

    @Actor
    public void owner() {
      for (int i = 0; i < 3; i++) {
        taken.count(deque.pop());
      }
    }

    @Actor
    public void thief() {
      taken.count(deque.stealInto(own));
    }

    @Arbiter
    public void end(I_Result r) {
      for (Integer item; (item = deque.pop()) != null; ) {
        taken.count(item);
      }
      for (Integer item; (item = own.pop()) != null; ) {
        taken.count(item);
      }
      r.r1 = taken.verdict();
    }
  }

  /// **Real class**, a thief that comes again: its later steals must not reach what was popped far
  /// away.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each item was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "an item was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "an item was taken twice")
  @State
  public static class RealAgainAndAgain {
    private final Taken taken = new Taken(2);
    private final WorkDeque<Integer> deque = new WorkDeque<>(4, -1, 1);
    private final WorkDeque<Integer> own = new WorkDeque<>(4, 0, 2);

    public RealAgainAndAgain() {
      for (int i = 0; i < 2; i++) {
        deque.push(i);
      }
    }

    @Actor
    public void owner() {
      taken.count(deque.pop());
    }

    @Actor
    public void thief() {
      for (int i = 0; i < 2; i++) {
        taken.count(deque.stealInto(own));
        for (Integer item; (item = own.pop()) != null; ) {
          taken.count(item);
        }
      }
    }

    @Arbiter
    public void end(I_Result r) {
      for (Integer item; (item = deque.pop()) != null; ) {
        taken.count(item);
      }
      for (Integer item; (item = own.pop()) != null; ) {
        taken.count(item);
      }
      r.r1 = taken.verdict();
    }
  }

  /// **Real class**, an owner that pops and pushes: what the thief has copied is overwritten.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each item was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "an item was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "an item was taken twice")
  @State
  public static class RealPushes {
    private final Taken taken = new Taken(2);
    private final WorkDeque<Integer> deque = new WorkDeque<>(4, -1, 2);
    private final WorkDeque<Integer> own = new WorkDeque<>(4, 0, 2);

    public RealPushes() {
      for (int i = 0; i < 2; i++) {
        deque.push(i);
      }
    }

    @Actor
    public void owner() {
      Integer one = deque.pop();
      Integer other = deque.pop();
      if (other != null) {
        deque.push(other);
      }
      if (one != null) {
        deque.push(one);
      }
    }

    @Actor
    public void thief() {
      taken.count(deque.stealInto(own));
    }

    @Arbiter
    public void end(I_Result r) {
      for (Integer item; (item = deque.pop()) != null; ) {
        taken.count(item);
      }
      for (Integer item; (item = own.pop()) != null; ) {
        taken.count(item);
      }
      r.r1 = taken.verdict();
    }
  }

  /// **Real class**, an owner that runs out of work, gives its array up and pushes again while a
  /// thief has the old one in its hands.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each item was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "an item was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "an item was taken twice")
  @State
  public static class RealTidies {
    private final Taken taken = new Taken(4);
    private final WorkDeque<Integer> deque = new WorkDeque<>(2, -1, 2, 1);
    private final WorkDeque<Integer> own = new WorkDeque<>(4, 0, 2);

    public RealTidies() {
      deque.push(0);
      deque.push(1);
    }

    @Actor
    public void owner() {
      for (Integer item; (item = deque.pop()) != null; ) {
        taken.count(item);
      }
      deque.clearStolen();
      deque.push(2);
      deque.clearStolen();
      deque.push(3);
    }

    @Actor
    public void thief() {
      for (int i = 0; i < 2; i++) {
        taken.count(deque.stealInto(own));
        for (Integer item; (item = own.pop()) != null; ) {
          taken.count(item);
        }
      }
    }

    @Arbiter
    public void end(I_Result r) {
      for (Integer item; (item = deque.pop()) != null; ) {
        taken.count(item);
      }
      r.r1 = taken.verdict();
    }
  }

  /// **Real class**, an owner that takes the oldest, as the thief does, between its pops: with a
  /// reach of 2, the pop is far from the thief, and what follows is near.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each item was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "an item was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "an item was taken twice")
  @State
  public static class RealTakesTheOldest {
    private final Taken taken = new Taken(4);
    private final WorkDeque<Integer> deque = new WorkDeque<>(4, -1, 2);
    private final WorkDeque<Integer> own = new WorkDeque<>(4, 0, 2);

    public RealTakesTheOldest() {
      for (int i = 0; i < 4; i++) {
        deque.push(i);
      }
    }

    @Actor
    public void owner() {
      taken.count(deque.pollOldest());
      taken.count(deque.pop());
      taken.count(deque.pollOldest());
    }

    @Actor
    public void thief() {
      taken.count(deque.stealInto(own));
    }

    @Arbiter
    public void end(I_Result r) {
      for (Integer item; (item = deque.pop()) != null; ) {
        taken.count(item);
      }
      for (Integer item; (item = own.pop()) != null; ) {
        taken.count(item);
      }
      r.r1 = taken.verdict();
    }
  }

  /// **Mutant.** A thief clears what it has taken, instead of the owner: where that has pushed
  /// again meanwhile, all round the array.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each item was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "an item was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "an item was taken twice")
  @State
  public static class ThiefTidies {
    private static final int SLOTS = 8;
    private static final int LOOKS = 200; // of the owner, for the thief's CAS

    private final Taken taken = new Taken(SLOTS + 1);
    private final WeakDeque deque = new WeakDeque(WeakDeque.Fault.THIEF_TIDIES, 1);

    public ThiefTidies() {
      for (int i = 0; i < SLOTS; i++) {
        deque.push(i);
      }
    }

    @Actor
    public void owner() {
      for (int i = 0; i < LOOKS && deque.isFull(); i++) {
        Thread.onSpinWait();
      }
      if (deque.isFull()) {
        taken.count(SLOTS);
      } else {
        deque.push(SLOTS);
      }
    }

    @Actor
    public void thief() {
      deque.steal(taken);
    }

    @Arbiter
    public void end(I_Result r) {
      for (int i = 0; i <= SLOTS; i++) { // a cleared slot reads as the end
        taken.count(deque.pop());
      }
      r.r1 = taken.verdict();
    }
  }

  /// **Mutant.** The owner pops without a CAS: a steal of two takes what it has.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each item was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "an item was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "an item was taken twice")
  @State
  public static class NaiveCas {
    private final Taken taken = new Taken(4);
    private final WeakDeque deque = new WeakDeque(WeakDeque.Fault.NAIVE_CAS, 2);

    public NaiveCas() {
      for (int i = 0; i < 4; i++) {
        deque.push(i);
      }
    }

    @Actor
    public void owner() {
      for (int i = 0; i < 3; i++) {
        taken.count(deque.pop());
      }
    }

    @Actor
    public void thief() {
      deque.steal(taken);
    }

    @Arbiter
    public void end(I_Result r) {
      for (Integer item; (item = deque.pop()) != null; ) {
        taken.count(item);
      }
      r.r1 = taken.verdict();
    }
  }

  /// **Mutant.** The owner pops far away without a fence: a later steal has not seen the bottom
  /// sink.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each item was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "an item was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "an item was taken twice")
  @State
  public static class NoFence {
    private final Taken taken = new Taken(2);
    private final WeakDeque deque = new WeakDeque(WeakDeque.Fault.NO_FENCE, 1);

    public NoFence() {
      for (int i = 0; i < 2; i++) {
        deque.push(i);
      }
    }

    @Actor
    public void owner() {
      taken.count(deque.pop());
    }

    @Actor
    public void thief() {
      deque.steal(taken);
      deque.steal(taken);
    }

    @Arbiter
    public void end(I_Result r) {
      for (Integer item; (item = deque.pop()) != null; ) {
        taken.count(item);
      }
      r.r1 = taken.verdict();
    }
  }

  /// **Mutant.** The owner takes the oldest by a store: a thief that has taken it meanwhile does
  /// not notice.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "each item was taken once")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "an item was lost")
  @Outcome(id = "3", expect = FORBIDDEN, desc = "an item was taken twice")
  @State
  public static class OldestByStore {
    private final Taken taken = new Taken(2);
    private final WeakDeque deque = new WeakDeque(WeakDeque.Fault.OLDEST_BY_STORE, 1);

    public OldestByStore() {
      for (int i = 0; i < 2; i++) {
        deque.push(i);
      }
    }

    @Actor
    public void owner() {
      taken.count(deque.pollOldest());
    }

    @Actor
    public void thief() {
      deque.steal(taken);
    }

    @Arbiter
    public void end(I_Result r) {
      for (Integer item; (item = deque.pop()) != null; ) {
        taken.count(item);
      }
      r.r1 = taken.verdict();
    }
  }
}
