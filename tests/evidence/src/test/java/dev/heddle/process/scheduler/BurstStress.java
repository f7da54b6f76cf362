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
import org.openjdk.jcstress.infra.results.L_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/// A step adds to its burst and ends it while the receiver takes and rests, or ends: what was
/// accepted is seen by some step, in order, or left unseen; each once.
public class BurstStress {
  private BurstStress() {}

  // ---- a receiver that rests ----

  /// **Model.** What a burst promises to a receiver that rests, with a lock.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "a step has seen it, or will")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "it lies there, and nobody looks")
  @State
  public static class Model {
    private int count = 1;
    private int seen;
    private boolean rests;
    private boolean woken;

    @Actor
    public synchronized void sender() {
      count++;
      woken = rests;
    }

    @Actor
    public synchronized void receiver() {
      seen = count;
      rests = true;
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = seen == count || woken;
    }
  }

  /// **Real class.** The receiver meets the burst while its sender adds, and rests.
  @JCStressTest
  @Outcome(id = "012", expect = ACCEPTABLE, desc = "steps saw all, in order")
  @Outcome(expect = FORBIDDEN, desc = "something lies there and nobody looks, or came twice")
  @State
  public static class Real {
    private final BurstReceiver task = new BurstReceiver(false);

    @Actor
    public void sender() {
      task.add(1);
      task.add(2);
      task.endBurst();
    }

    @Actor
    public void receiver() {
      task.run();
    }

    @Arbiter
    public void end(L_Result r) {
      r.r1 = task.gotAtLast();
    }
  }

  /// **Real class.** The receiver has met the burst before, and looks into it again.
  @JCStressTest
  @Outcome(id = "012", expect = ACCEPTABLE, desc = "steps saw all, in order")
  @Outcome(expect = FORBIDDEN, desc = "something lies there and nobody looks, or came twice")
  @State
  public static class RealKept {
    private final BurstReceiver task = new BurstReceiver(false);

    /// With a task that has rested, and was woken.
    public RealKept() {
      task.run();
      task.wake(Task.BY_COMMAND);
    }

    @Actor
    public void sender() {
      task.add(1);
      task.add(2);
      task.endBurst();
    }

    @Actor
    public void receiver() {
      task.run();
    }

    @Arbiter
    public void end(L_Result r) {
      r.r1 = task.gotAtLast();
    }
  }

  /// **Real class.** The receiver looks at one after the other, as a body does.
  @JCStressTest
  @Outcome(id = "012", expect = ACCEPTABLE, desc = "steps saw all, in order")
  @Outcome(expect = FORBIDDEN, desc = "something lies there and nobody looks, or came twice")
  @State
  public static class RealLooks {
    private final BurstReceiver task = new BurstReceiver(true);

    @Actor
    public void sender() {
      task.add(1);
      task.add(2);
      task.endBurst();
    }

    @Actor
    public void receiver() {
      task.run();
    }

    @Arbiter
    public void end(L_Result r) {
      r.r1 = task.gotAtLast();
    }
  }

  /// **Real class.** Something is pushed behind the burst when that has ended.
  @JCStressTest
  @Outcome(id = "012", expect = ACCEPTABLE, desc = "steps saw all, in order")
  @Outcome(expect = FORBIDDEN, desc = "lost, or twice, or what was pushed has overtaken the burst")
  @State
  public static class RealInOrder {
    private final BurstReceiver task = new BurstReceiver(false);

    /// With a task that has rested, and was woken.
    public RealInOrder() {
      task.run();
      task.wake(Task.BY_COMMAND);
    }

    @Actor
    public void sender() {
      task.add(1);
      task.endBurst();
      task.push(2);
    }

    @Actor
    public void receiver() {
      task.run();
    }

    @Arbiter
    public void end(L_Result r) {
      r.r1 = task.gotAtLast();
    }
  }

  // ---- a receiver that ends ----

  /// **Model.** What a burst promises when the receiver ends, with a lock.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "what was accepted came once")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "something was lost, or came twice")
  @State
  public static class ModelOfAnEnd {
    private final Taken taken = new Taken(2);
    private int count = 1;
    private boolean abandoned;

    @Actor
    public synchronized void sender() {
      if (!abandoned) {
        count++;
      }
    }

    @Actor
    public synchronized void receiver() {
      abandoned = true;
      for (int i = 0; i < count; i++) {
        taken.count(i);
      }
    }

    @Arbiter
    public void end(Z_Result r) {
      if (count == 1) {
        taken.count(1);
      }
      r.r1 = taken.verdict() == Taken.FINE;
    }
  }

  /// **Real class.** The receiver takes one and ends while its sender adds and ends the burst.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "what was accepted came once")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "something was lost, or came twice")
  @State
  public static class RealAbandoned {
    private final BurstReceiver task = new BurstReceiver(false);

    @Actor
    public void sender() {
      task.add(1);
      task.add(2);
      task.add(3);
      task.endBurst();
    }

    @Actor
    public void receiver() {
      task.take(1);
      task.abandon();
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = task.isEachTakenOnce();
    }
  }

  /// **Real class.** The receiver has ended while something was added, and the monitor finds that
  /// at the moment at which its sender does.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "what was accepted came once")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "something was lost, or came twice")
  @State
  public static class RealAbandonedAndUrged {
    private final BurstReceiver task = new BurstReceiver(false);

    @Actor
    public void sender() {
      task.add(1);
      task.endBurst();
    }

    @Actor
    public void receiverThenMonitor() {
      task.abandon();
      task.urge();
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = task.isEachTakenOnce();
    }
  }

  // ---- mutants ----

  /// The words of a burst with one item, to which one more is added, and of its receiver; each used
  /// as the real class does. A mutant does one thing otherwise.
  private static class Words {
    static final int OPEN = 0;
    static final int SEALED = 1;
    static final int ABANDONED = 2;

    final AtomicInteger state = new AtomicInteger(OPEN);
    final AtomicInteger count = new AtomicInteger(1);
    final AtomicInteger taken = new AtomicInteger();
    final Taken unseen = new Taken(2);
    volatile boolean kept;
    private volatile boolean rests;
    private boolean woken; // the sender
    private int seen; // the receiver
    private boolean accepted; // the sender

    final void add() {
      accepted = state.get() == OPEN;
      if (accepted) {
        count.setRelease(2);
        wakeIf(rests);
      }
    }

    final void wakeIf(boolean asleep) {
      woken |= asleep;
    }

    final void seal() {
      state.compareAndSet(OPEN, SEALED);
    }

    final void keep() {
      if (state.get() == OPEN) {
        kept = true;
      }
    }

    final void look() {
      seen = count.getAcquire();
    }

    final void rest() {
      rests = true;
    }

    final boolean isSeen() {
      return seen == count.get() || woken;
    }

    final void leaveRest() {
      for (int at = taken.get(); at < count.getAcquire(); at = taken.get()) {
        if (taken.compareAndSet(at, at + 1)) {
          unseen.count(at);
        }
      }
    }

    final void abandon() {
      boolean over;
      do {
        over = state.get() != OPEN;
        leaveRest();
      } while (!over && !state.compareAndSet(OPEN, ABANDONED));
    }

    final boolean isEachUnseenOnce() {
      if (!accepted) {
        unseen.count(1);
      }
      return unseen.verdict() == Taken.FINE;
    }
  }

  /// **Mutant.** The end of the burst wakes nobody.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "a step has seen it, or will")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "it lies there, and nobody looks")
  @State
  public static class EndsSilently extends Words {
    @Actor
    public void sender() {
      add();
      seal();
    }

    @Actor
    public void receiver() {
      keep();
      look();
      rest();
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = isSeen();
    }
  }

  /// **Mutant.** The sender reads whether the burst is kept before it seals it.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "a step has seen it, or will")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "it lies there, and nobody looks")
  @State
  public static class SealsTooLate extends Words {
    @Actor
    public void sender() {
      add();
      wakeIf(kept);
      seal();
    }

    @Actor
    public void receiver() {
      keep();
      look();
      rest();
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = isSeen();
    }
  }

  /// **Mutant.** The receiver looks into the burst before it says that it keeps it.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "a step has seen it, or will")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "it lies there, and nobody looks")
  @State
  public static class KeepsTooLate extends Words {
    @Actor
    public void sender() {
      add();
      seal();
      wakeIf(kept);
    }

    @Actor
    public void receiver() {
      look();
      keep();
      rest();
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = isSeen();
    }
  }

  /// **Mutant.** The receiver empties the lane after its look into the burst that it keeps.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "behind the burst")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "it has overtaken the burst")
  @State
  public static class LooksTooSoon extends Words {
    private volatile boolean pushed;
    private boolean popped;

    @Actor
    public void sender() {
      add();
      seal();
      pushed = true;
    }

    @Actor
    public void receiver() {
      look();
      popped = pushed;
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = !popped || isSeen();
    }
  }

  /// **Mutant.** The receiver that ends looks at the state, and stores: its sender may have ended
  /// the burst meanwhile.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "what was accepted came once")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "something was lost, or came twice")
  @State
  public static class AbandonsByStore extends Words {
    @Actor
    public void sender() {
      add();
      seal();
      if (state.get() == ABANDONED) {
        leaveRest();
      }
    }

    @Actor
    public void receiver() {
      leaveRest();
      if (state.get() == OPEN) {
        state.set(ABANDONED);
      } else {
        leaveRest();
      }
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = isEachUnseenOnce();
    }
  }

  /// **Mutant.** The sender looks at the state, and stores: the receiver may have ended meanwhile.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "what was accepted came once")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "something was lost, or came twice")
  @State
  public static class SealsByStore extends Words {
    @Actor
    public void sender() {
      add();
      if (state.get() == OPEN) {
        state.set(SEALED);
      } else {
        leaveRest();
      }
    }

    @Actor
    public void receiver() {
      abandon();
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = isEachUnseenOnce();
    }
  }

  /// **Mutant.** Whoever finds something left looks how much was taken, and stores: the sender and
  /// the monitor may both do so.
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "what was accepted came once")
  @Outcome(id = "false", expect = FORBIDDEN, desc = "something was lost, or came twice")
  @State
  public static class LeavesByStore extends Words {
    /// With one that was added while the receiver ended.
    public LeavesByStore() {
      leaveRest();
      add();
      state.set(ABANDONED);
    }

    private void leaveLast() {
      int at = taken.get();
      if (at < count.getAcquire()) {
        taken.set(at + 1);
        unseen.count(at);
      }
    }

    @Actor
    public void sender() {
      leaveLast();
    }

    @Actor
    public void monitor() {
      leaveLast();
    }

    @Arbiter
    public void end(Z_Result r) {
      r.r1 = isEachUnseenOnce();
    }
  }
}
