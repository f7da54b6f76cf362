// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.timer;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.VarHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// An action at a deadline, armed and disarmed through [Timers] any number of times. It is itself
/// the node of the submission stack and of the wheel, so arming it allocates nothing.
///
/// **Thread** one owner at a time arms it, disarms it, or moves its deadline; a change of owners
/// needs a happens-before edge. It fires on the timer thread.
public abstract class Timer {
  /*
   * Two words. `deadline` says when the timer fires; on it the owner and the timer thread decide
   * who wins. `place` says which structures hold the node; by it the owner decides whether it must
   * notify the timer thread.
   *
   * deadline.  from         event                    to        by, with
   *            any          arm(d)                   d         owner: volatile store, then reads
   *                                                            `place`
   *            a time       rearm(d)                 d         owner: CAS, fails if it has fired
   *            a time       disarm()                 DISARMED  owner: CAS, fails if it has fired
   *            any          WaitTimeout.stop()       DISARMED  owner: release store; the timer may
   *                                                            still fire once
   *            a past time  the wheel reaches it     FIRED     timer thread: CAS, then fire()
   *            FIRED        fire() had no memory     a time    timer thread: CAS, to try again then
   *
   * place.     SUBMITTED  The node is on the submission stack: set by the owner before the push,
   *                       cleared by the timer thread after it has taken the node.
   *            WHEEL      The node is in the wheel, which checks it at `due`: set and cleared by
   *                       the timer thread.
   *            Both       The owner has asked the timer thread to check the node before `due`.
   *
   * I1. The timer thread reads `deadline` after each change that the owner has made while a bit was
   *     set. The owner writes `deadline`, then reads `place`. The timer thread clears the bit, or
   *     sets WHEEL, then reads `deadline`. All accesses are volatile, so one of the two sees the
   *     other's write (Dekker). Therefore moving a deadline later costs one store, and a disarmed
   *     node leaves the wheel. Mutant: HandOverStress.SettlesAtOnce. [HandOverStress,
   *     TimerWheelTest]
   * I2. `due` is written before WHEEL is set. An owner that reads WHEEL reads the `due` that
   *     belongs to it, or the bit was cleared after the owner's write of `deadline`, which is the
   *     case of I1.
   * I3. Only the thread that has set SUBMITTED pushes the node, so it is on the stack once.
   *     [TimersTest]
   *
   * Cost. 56 bytes. A wait whose deadline is later than the one before: one volatile store and two
   * reads.
   */

  /// The `deadline` of a timer that is not armed.
  static final long DISARMED = Long.MAX_VALUE;

  /// The `deadline` of a timer that has fired since it was armed.
  static final long FIRED = Long.MAX_VALUE - 1;

  /// Bit of `place`: on the submission stack.
  static final int SUBMITTED = 1;

  /// Bit of `place`: in the wheel.
  static final int WHEEL = 2;

  private static final VarHandle DEADLINE = VarHandles.find(lookup(), "deadline", long.class);
  private static final VarHandle PLACE = VarHandles.find(lookup(), "place", int.class);

  // owner and timer thread: nanoseconds of the timers' clock, or DISARMED, or FIRED
  private volatile long deadline = DISARMED;

  // owner and timer thread: bits
  @SuppressWarnings("FieldMayBeFinal") // through PLACE
  private volatile int place;

  // the thread that pushes it, then the timer thread
  @Nullable Timer below; // on the submission stack
  int depth; // on that stack, from 1

  // the timer thread; the owner reads `due` after it has read WHEEL
  long due;
  @Nullable Timer next; // in the ring of its slot
  @Nullable Timer previous;
  int slot;

  /// The action, called on the timer thread; must not block. It is called again if it lacked
  /// memory, so it must do no harm when done twice.
  protected abstract void fire();

  static boolean isTime(long deadline) {
    return deadline < FIRED;
  }

  /// Whether it will fire, unless its owner does something before.
  final boolean isArmed() {
    return isTime(deadline);
  }

  final long deadline() {
    return deadline;
  }

  final void deadline(long to) {
    deadline = to;
  }

  final void deadlineRelease(long to) {
    DEADLINE.setRelease(this, to);
  }

  final boolean casDeadline(long from, long to) {
    return DEADLINE.compareAndSet(this, from, to);
  }

  final int place() {
    return place;
  }

  /// Sets a bit.
  ///
  /// @return the bits before
  final int enters(int bit) {
    return (int) PLACE.getAndBitwiseOr(this, bit);
  }

  /// Clears a bit.
  ///
  /// @return the bits before
  final int leaves(int bit) {
    return (int) PLACE.getAndBitwiseAnd(this, ~bit);
  }
}
