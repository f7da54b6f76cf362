// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import dev.heddle.scheduler.inbox.Inbox;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Proxy;

/// Notifies the loop when the thread of one of its contexts is interrupted.
final class InterruptHook {
  /*
   * For the JDK, a coroutine that waits for the loop has yielded: Thread.interrupt sets the flag
   * and resumes nothing. But it also calls the thread's `nioBlocker`, by which a channel closes
   * itself when its thread is interrupted. A thread has one such field. A coroutine stores the hook
   * there before it waits for the loop. A channel operation of the JDK replaces the hook and clears
   * the field, so each wait checks it again.
   *
   * The hook runs on the interrupting thread, which holds the target's interrupt lock. It posts a
   * node to the loop's inbox and does nothing else. An arrival is a hint: the loop then reads the
   * flag, and checks whether the coroutine still waits.
   *
   * I1. An interrupt of a coroutine that waits for the loop, or is about to, ends that wait.
   *     [InterruptTest]
   *
   * Memory order. The coroutine stores the hook by the JDK's own blockedOn(), under the interrupt
   * lock, and then reads the flag. The interrupter sets the flag and reads the hook under the same
   * lock. The later one of the two sees what the earlier one wrote. Where the hook is already
   * there, the coroutine reads the flag before it waits. A flag that is set after that read is
   * followed by a post, and the post by an arrival on the loop, by which time the wait has begun.
   *
   * Cost. A wait: two reads. The first wait of a thread, and the first one after a channel
   * operation, also takes the interrupt lock. An interrupt: one small object.
   *
   * Rejected. Parking instead of yielding: 30 % more for each switch (see ExecutionContext).
   * Reading the flags of all waiting coroutines: linear in their number.
   *
   * Sources. Thread.blockedOn and VirtualThread.interrupt of JDK 25.
   */
  private static final VarHandle BLOCKER;
  private static final MethodHandle BLOCKED_ON;
  private static final Object HOOK;

  static {
    try {
      Class<?> interruptible = Class.forName("sun.nio.ch.Interruptible");
      MethodHandles.Lookup inThread =
          MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup());
      BLOCKER = inThread.findVarHandle(Thread.class, "nioBlocker", interruptible);
      BLOCKED_ON =
          inThread
              .findVirtual(
                  Thread.class, "blockedOn", MethodType.methodType(void.class, interruptible))
              .asType(MethodType.methodType(void.class, Thread.class, Object.class));
      HOOK =
          Proxy.newProxyInstance(
              InterruptHook.class.getClassLoader(),
              new Class<?>[] {interruptible},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "interrupt" -> {
                      interrupted((Thread) arguments[0]);
                      yield null;
                    }
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "toString" -> "Heddle's interrupt hook";
                    default -> null; // postInterrupt
                  });
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private InterruptHook() {}

  /// Makes an interrupt of the current thread notify its context.
  static void arm(Thread current) {
    if (BLOCKER.get(current) != HOOK) {
      put(current);
    }
  }

  private static void put(Thread current) {
    try {
      BLOCKED_ON.invokeExact(current, HOOK);
    } catch (Throwable e) {
      throw new IllegalStateException("the JDK refused the hook of interrupts", e);
    }
  }

  /// Whether the JDK has what the hook needs; fails with the reason otherwise.
  static boolean ready() {
    return HOOK != null;
  }

  private static void interrupted(Thread target) {
    if (VirtualThreads.schedulerOf(target) instanceof ExecutionContext context) {
      // safe: a closed inbox belongs to a loop that has ended, where no coroutine waits
      var _ = context.host().inbox().post(new Interrupt(context));
    }
  }

  private static final class Interrupt extends Inbox.Node {
    private final ExecutionContext context;

    Interrupt(ExecutionContext context) {
      this.context = context;
    }

    @Override
    public void onArrival() {
      ContextTask occupant = context.occupant();
      if (occupant != null && context.thread().isInterrupted()) {
        occupant.interrupted();
      }
    }
  }
}
