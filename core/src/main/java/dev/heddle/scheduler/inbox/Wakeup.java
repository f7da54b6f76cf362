// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.inbox;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// Wakes a blocked carrier from any thread, at most once per sleep.
public final class Wakeup {
  /*
   * States.    from           event                         to      who, order
   *            AWAKE          beforeSleep()                 ASLEEP  carrier: volatile store, then a look at the inbox
   *            ASLEEP         ring()                        WOKEN   any thread: CAS; the winner calls the driver
   *            ASLEEP, WOKEN  afterSleep()                  AWAKE   carrier: volatile store, then the inbox is drained
   *            AWAKE, WOKEN   ring()                        same    any thread: nothing to do
   *
   * Threads. ring(): any. Everything else: the carrier.
   *
   * I1. An item published before ring() ends the current sleep or is drained before the next. [WakeupStress]
   * I2. One call of the driver per sleep at most: the CAS has one winner. [WakeupStress]
   *
   * Memory order. Publisher: CAS on the inbox's head (volatile), then the volatile read of `state`. Carrier: volatile store of
   * ASLEEP, then the volatile read of the inbox. Both pairs are volatile accesses, hence in one total order: one of the two reads
   * sees the other's write (Dekker). The path that does nothing needs it as much as the CAS path: with a plain read a publisher
   * may see AWAKE while its item is still invisible, and the carrier sleeps on it. Mutant: WakeupStress.PlainState.
   * The driver's wake-up is sticky, so a ring between the carrier's check and its sleep is not lost either.
   *
   * Cost. Wait-free. One system call per sleep. A ring that comes too late costs one empty poll.
   *
   * Rejected. Calling the driver for every item: a system call each (85 against 166 ns an item in bursts). A lock: the carrier
   * would wait for others.
   *
   * Sources. Promise T15; trap 40.
   */
  private static final int AWAKE = 0;
  private static final int ASLEEP = 1;
  private static final int WOKEN = 2;
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Wakeup.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Runnable driver;

  // any thread, CAS; the carrier stores
  private volatile int state = AWAKE;

  /// Rings by running `driver`, which must be callable from any thread, sticky, and never block.
  public Wakeup(Runnable driver) {
    this.driver = driver;
  }

  /// Ends the carrier's sleep, if it sleeps and nobody has rung yet.
  public void ring() {
    if (state == ASLEEP && STATE.compareAndSet(this, ASLEEP, WOKEN)) {
      driver.run();
    }
  }

  /// Whether the carrier sleeps, or has been rung and is not back yet.
  public boolean isAsleep() {
    return state != AWAKE;
  }

  /// The carrier is about to sleep; it must look at its inbox once more after this.
  public void beforeSleep() {
    state = ASLEEP;
  }

  /// The carrier is back.
  public void afterSleep() {
    state = AWAKE;
  }
}
