// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;

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
  private static final Class<?> INTERRUPTIBLE;

  static {
    try {
      INTERRUPTIBLE = Class.forName("sun.nio.ch.Interruptible");
      MethodHandles.Lookup inThread =
          MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup());
      BLOCKER = inThread.findVarHandle(Thread.class, "nioBlocker", INTERRUPTIBLE);
      BLOCKED_ON =
          inThread
              .findVirtual(
                  Thread.class, "blockedOn", MethodType.methodType(void.class, INTERRUPTIBLE))
              .asType(MethodType.methodType(void.class, Thread.class, Object.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private InterruptHook() {}

  /// A hook that calls `interrupted` with the thread, on the interrupting thread.
  static Object create(Consumer<Thread> interrupted) {
    return Proxy.newProxyInstance(
        InterruptHook.class.getClassLoader(),
        new Class<?>[] {INTERRUPTIBLE},
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "interrupt" -> {
                interrupted.accept((Thread) arguments[0]);
                yield null;
              }
              case "equals" -> proxy == arguments[0];
              case "hashCode" -> System.identityHashCode(proxy);
              case "toString" -> "Heddle's interrupt hook";
              default -> null; // postInterrupt
            });
  }

  /// Makes an interrupt of the current thread call `hook`.
  static void arm(Thread current, Object hook) {
    if (BLOCKER.get(current) != hook) {
      put(current, hook);
    }
  }

  private static void put(Thread current, Object hook) {
    try {
      BLOCKED_ON.invokeExact(current, hook);
    } catch (Throwable e) {
      throw new IllegalStateException("the JDK refused the hook of interrupts", e);
    }
  }
}
