// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.inbox;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/// A producer posts and rings while the carrier goes to sleep: it sees the item, or it is rung.
///
/// The results are whether the carrier saw the item before its sleep, and the calls of the driver.
public class WakeupStress {
  private WakeupStress() {}

  private static final class Item extends Inbox.Node {
    @Override
    public void onArrival() {}
  }

  /// **Model.** What the protocol promises, with a lock.
  @JCStressTest
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "slept, and was woken")
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "saw the item, did not sleep")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "saw the item and was rung: an empty poll")
  @Outcome(expect = FORBIDDEN, desc = "sleeps on an item")
  @State
  public static class Model {
    private boolean item;
    private boolean asleep;
    private int calls;

    @Actor
    public synchronized void producer() {
      item = true;
      if (asleep) {
        calls++;
      }
    }

    @Actor
    public synchronized void carrier(II_Result r) {
      asleep = true;
      r.r1 = item ? 1 : 0;
    }

    @Arbiter
    public void end(II_Result r) {
      r.r2 = calls;
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "slept, and was woken")
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "saw the item, did not sleep")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "saw the item and was rung: an empty poll")
  @Outcome(expect = FORBIDDEN, desc = "sleeps on an item")
  @State
  public static class Real {
    private final AtomicInteger calls = new AtomicInteger();
    private final Wakeup wakeup = new Wakeup(calls::incrementAndGet);
    private final Inbox inbox = new Inbox(wakeup);
    private final Item item = new Item();

    @Actor
    public void producer() {
      inbox.post(item);
    }

    @Actor
    public void carrier(II_Result r) {
      wakeup.beforeSleep();
      r.r1 = inbox.isEmpty() ? 0 : 1;
    }

    @Arbiter
    public void end(II_Result r) {
      r.r2 = calls.get();
    }
  }

  /// **Real class**, two producers: the driver is called once for one sleep at most. Needs three
  /// processors.
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "both came before the sleep")
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "one of them rang")
  @Outcome(expect = FORBIDDEN, desc = "two system calls for one sleep")
  @State
  public static class RealTwoRingers {
    private final AtomicInteger calls = new AtomicInteger();
    private final Wakeup wakeup = new Wakeup(calls::incrementAndGet);

    @Actor
    public void first() {
      wakeup.signal();
    }

    @Actor
    public void second() {
      wakeup.signal();
    }

    @Actor
    public void carrier() {
      wakeup.beforeSleep();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = calls.get();
    }
  }

  /// **Real class**: a carrier that sleeps is rung by two, and the driver is called once.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "one of them called")
  @Outcome(expect = FORBIDDEN, desc = "sleeps on, or two system calls for one sleep")
  @State
  public static class RealSleepsForTwo {
    private final AtomicInteger calls = new AtomicInteger();
    private final Wakeup wakeup = new Wakeup(calls::incrementAndGet);

    /// With a carrier that sleeps.
    public RealSleepsForTwo() {
      wakeup.beforeSleep();
    }

    @Actor
    public void first() {
      wakeup.signal();
    }

    @Actor
    public void second() {
      wakeup.signal();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = calls.get();
    }
  }

  /// **Mutant.** Whoever rings looks, and stores: two may do so.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "one of them called")
  @Outcome(expect = FORBIDDEN, desc = "sleeps on, or two system calls for one sleep")
  @State
  public static class RingsByStore {
    private final AtomicInteger calls = new AtomicInteger();
    private volatile boolean asleep = true;

    private void ring() {
      if (asleep) {
        asleep = false;
        calls.incrementAndGet();
      }
    }

    @Actor
    public void first() {
      ring();
    }

    @Actor
    public void second() {
      ring();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = calls.get();
    }
  }

  /// **Mutant.** The state is read and stored plainly: the carrier looks at the inbox before its
  /// store is visible, the producer sees it awake, and the carrier sleeps on the item.
  @JCStressTest
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "slept, and was woken")
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "saw the item, did not sleep")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "saw the item and was rung: an empty poll")
  @Outcome(expect = FORBIDDEN, desc = "sleeps on an item")
  @State
  public static class PlainState {
    private static final VarHandle STATE;

    static {
      try {
        STATE = MethodHandles.lookup().findVarHandle(PlainState.class, "state", int.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    private int state;
    private final AtomicInteger calls = new AtomicInteger();
    private final Inbox inbox = new Inbox(new Wakeup(() -> {}));
    private final Item item = new Item();

    @Actor
    public void producer() {
      inbox.post(item);
      if (state == 1 && STATE.compareAndSet(this, 1, 2)) {
        calls.incrementAndGet();
      }
    }

    @Actor
    public void carrier(II_Result r) {
      state = 1;
      r.r1 = inbox.isEmpty() ? 0 : 1;
    }

    @Arbiter
    public void end(II_Result r) {
      r.r2 = calls.get();
    }
  }
}
