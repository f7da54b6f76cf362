// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// Something that is to happen at a time: armed and disarmed through [Timers], as often as its
/// owner likes. It is the node of the hand-over and of the wheel, so arming it allocates nothing.
///
/// **Thread** one thread at a time arms it, disarms it, or moves its deadline: its owner, handed
/// over with a happens-before edge. It fires on the thread of the timers.
public abstract class Timer {
  /*
   * Two words. `deadline` says when it fires; it decides between the owner and the thread of the
   * timers. `place` says which structures hold the node; it decides whether the owner has to tell
   * that thread.
   *
   * deadline.  from             event                  to        who, order
   *            any              arm(d)                 d         owner: volatile store, then reads
   *                                                              `place`
   *            a time           rearm(d)               d         owner: CAS; fails when it has
   *                                                              fired
   *            a time           disarm()               DISARMED  owner: CAS; fails when it has
   *                                                              fired
   *            a time           forget()               DISARMED  owner: release store; it may fire
   *                                                              once more all the same
   *            a time that is over  the wheel looks    FIRED     thread of the timers: CAS, then
   *                                                              fire()
   *            FIRED            fire() had no memory   a time    thread of the timers: CAS; tries
   *                                                              again then
   *
   * place.     SUBMITTED  the node is in the hand-over: set by the owner before the push, taken
   *                       back by the thread after it has taken the node
   *            WHEEL   the node is in the wheel, which looks at it at `due`: set and taken back by
   *                    the thread
   *            Both may be set: the owner has asked the thread to look before `due`.
   *
   * I1. The thread looks at `deadline` after each change that the owner has made while a bit was
   *     set. Owner: writes `deadline`, reads `place`. Thread: takes the bit back, or sets WHEEL,
   *     then reads `deadline`. All are volatile: one sees the other (Dekker). So a deadline that
   *     moves later costs one store, and a disarmed node leaves the wheel. Mutant:
   *     HandOverStress.SettlesAtOnce. [HandOverStress, TimerWheelTest]
   * I2. `due` is written before WHEEL is set: who reads WHEEL reads the `due` that belongs to it,
   *     or a bit that was taken back after its own write of `deadline`, which is I1.
   * I3. A node is pushed by whoever has set SUBMITTED, so it is in the hand-over once. [TimersTest]
   *
   * Cost. 56 bytes. A wait whose deadline lies behind the last one's: one volatile store and two
   * reads.
   */

  /// The `deadline` of one that is not armed.
  static final long DISARMED = Long.MAX_VALUE;

  /// The `deadline` of one that has fired since it was armed.
  static final long FIRED = Long.MAX_VALUE - 1;

  /// In the hand-over.
  static final int SUBMITTED = 1;

  /// In the wheel.
  static final int WHEEL = 2;

  private static final VarHandle DEADLINE;
  private static final VarHandle PLACE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      DEADLINE = lookup.findVarHandle(Timer.class, "deadline", long.class);
      PLACE = lookup.findVarHandle(Timer.class, "place", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // owner and thread of the timers: nanoseconds of the timers' clock, or DISARMED, or FIRED
  private volatile long deadline = DISARMED;

  // owner and thread of the timers: bits
  @SuppressWarnings("FieldMayBeFinal") // through PLACE
  private volatile int place;

  // who pushes it; then the thread of the timers
  @Nullable Timer below; // in the stack of the hand-over
  int depth; // in that stack, from 1

  // the thread of the timers; the owner reads `due` when it has read WHEEL
  long due;
  @Nullable Timer next; // in its slot, a ring
  @Nullable Timer previous;
  int slot;

  /// A timer that is not armed.
  protected Timer() {}

  /// Does what it is for, on the thread of the timers; must not block. Called again when it had no
  /// memory for it: so what it does twice does no harm.
  protected abstract void fire();

  static boolean isTime(long deadline) {
    return deadline < FIRED;
  }

  /// Whether it is to fire; holds as long as its owner does nothing and the time has not come.
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

  /// Takes a bit back.
  ///
  /// @return the bits before
  final int leaves(int bit) {
    return (int) PLACE.getAndBitwiseAnd(this, ~bit);
  }
}
