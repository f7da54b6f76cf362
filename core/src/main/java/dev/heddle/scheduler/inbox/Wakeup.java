// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.inbox;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.VarHandles;
import java.lang.invoke.VarHandle;

/// Wakes a blocked carrier from any thread, at most once per sleep.
public final class Wakeup {
  /*
   * States.  from           event          to      who, order
   *          AWAKE          beforeSleep()  ASLEEP  carrier: volatile store, then checks the inbox
   *          ASLEEP         signal()       WOKEN   any thread: CAS; the winner calls the driver
   *          ASLEEP, WOKEN  afterSleep()   AWAKE   carrier: volatile store, then drains the inbox
   *          AWAKE, WOKEN   signal()       same    any thread: nothing to do
   *
   * Threads. signal(): any. Everything else: the carrier.
   *
   * I1. An item published before signal() ends the current sleep or is drained before the next.
   *     [WakeupStress]
   * I2. At most one call of the driver per sleep: the CAS has one winner. [WakeupStress]
   *
   * Memory order. Publisher: CAS on the inbox's head (volatile), then the volatile read of `state`.
   * Carrier: volatile store of ASLEEP, then the volatile read of the inbox. Both pairs are volatile
   * accesses, hence in one total order: one of the two reads sees the other's write (Dekker). The
   * path that does nothing needs this as much as the CAS path: with a plain read, a publisher may
   * see AWAKE while its item is still invisible to the carrier, which then sleeps. Mutant:
   * WakeupStress.PlainState.
   * The driver's wake-up is sticky, so a signal() between the carrier's check and its sleep is not
   * lost either.
   *
   * Cost. Wait-free. One system call per sleep. A signal() that comes too late costs one empty
   * poll.
   *
   * Rejected. Calling the driver for every item: a system call each (85 against 166 ns an item in
   * bursts). A lock: the carrier would wait for other threads.
   *
   * Sources. T15; trap-40.
   */
  private static final int AWAKE = 0;
  private static final int ASLEEP = 1;
  private static final int WOKEN = 2;
  private static final VarHandle STATE = VarHandles.find(lookup(), "state", int.class);

  private final Runnable driver;

  // any thread, CAS; the carrier stores
  private volatile int state = AWAKE;

  /// Signals by running `driver`, which must be callable from any thread, sticky, and never block.
  public Wakeup(Runnable driver) {
    this.driver = driver;
  }

  /// Ends the carrier's sleep, if it sleeps and no earlier call has ended that sleep.
  public void signal() {
    if (state == ASLEEP && STATE.compareAndSet(this, ASLEEP, WOKEN)) {
      driver.run();
    }
  }

  /// Whether the carrier sleeps, or was woken and has not returned from its sleep yet.
  public boolean isAsleep() {
    return state != AWAKE;
  }

  /// Called before the carrier sleeps; it must check its inbox once more after this call.
  public void beforeSleep() {
    state = ASLEEP;
  }

  /// Called when the carrier has returned from its sleep.
  public void afterSleep() {
    state = AWAKE;
  }
}
