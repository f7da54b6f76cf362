// SPDX-License-Identifier: Apache-2.0
package java.lang;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import jdk.internal.misc.Unsafe;

/// The private parts of threads that the hook reads and writes. This class fails to initialise on a
/// JDK that lacks one of them, and names it.
final class HeddleInternals {
  private HeddleInternals() {}

  /// States of `VirtualThread.state`.
  static final int PARKED;

  static final int TIMED_PARKED;
  static final int BLOCKED;
  static final int UNBLOCKED;
  static final int WAIT;
  static final int TIMED_WAIT;
  private static final int SUSPENDED; // a flag: the stack is being read

  /// States of a platform thread, as JVMTI numbers them.
  static final int RUNNABLE = 0x0005; // alive, runnable

  static final int TERMINATED = 0x0002;

  private static final Unsafe UNSAFE = Unsafe.getUnsafe();
  private static final MethodHandle START0;
  private static final MethodHandle SCHEDULE;
  private static final MethodHandle SUBMIT;
  private static final VarHandle STATE;
  private static final VarHandle ON_WAITING_LIST;
  private static final VarHandle SCOPED_VALUES;
  private static final long NATIVE_THREAD = UNSAFE.objectFieldOffset(Thread.class, "eetop");
  private static final long HOLDER = UNSAFE.objectFieldOffset(Thread.class, "holder");
  private static final long STATUS;
  private static final long INHERITABLE =
      UNSAFE.objectFieldOffset(Thread.class, "inheritableThreadLocals");

  static {
    try {
      MethodHandles.Lookup own = MethodHandles.lookup();
      MethodHandles.Lookup thread = MethodHandles.privateLookupIn(Thread.class, own);
      MethodHandles.Lookup virtual = MethodHandles.privateLookupIn(VirtualThread.class, own);
      START0 = thread.findVirtual(Thread.class, "start0", MethodType.methodType(void.class));
      SCOPED_VALUES = thread.findVarHandle(Thread.class, "scopedValueBindings", Object.class);
      Class<?> delayed =
          Class.forName("java.lang.VirtualThread$DelayedTaskSchedulers", false, null);
      SCHEDULE =
          MethodHandles.privateLookupIn(delayed, own)
              .findStatic(
                  delayed,
                  "schedule",
                  MethodType.methodType(Future.class, Runnable.class, long.class, TimeUnit.class));
      SUBMIT =
          virtual.findVirtual(
              VirtualThread.class, "submitRunContinuation", MethodType.methodType(void.class));
      STATE = virtual.findVarHandle(VirtualThread.class, "state", int.class);
      ON_WAITING_LIST = virtual.findVarHandle(VirtualThread.class, "onWaitingList", boolean.class);
      PARKED = constant(virtual, "PARKED");
      TIMED_PARKED = constant(virtual, "TIMED_PARKED");
      BLOCKED = constant(virtual, "BLOCKED");
      UNBLOCKED = constant(virtual, "UNBLOCKED");
      WAIT = constant(virtual, "WAIT");
      TIMED_WAIT = constant(virtual, "TIMED_WAIT");
      SUSPENDED = constant(virtual, "SUSPENDED");
      STATUS =
          UNSAFE.objectFieldOffset(
              Class.forName("java.lang.Thread$FieldHolder", false, null), "threadStatus");
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static int constant(MethodHandles.Lookup in, String name)
      throws ReflectiveOperationException {
    return (int) in.findStaticVarHandle(VirtualThread.class, name, int.class).get();
  }

  // ---- what the JDK would have done ----

  static void start0(Thread thread) {
    try {
      START0.invokeExact(thread);
    } catch (Throwable e) {
      throw rethrown(e);
    }
  }

  static Future<?> schedule(Runnable command, long delay, TimeUnit unit) {
    try {
      return (Future<?>) SCHEDULE.invokeExact(command, delay, unit);
    } catch (Throwable e) {
      throw rethrown(e);
    }
  }

  /// Gives a thread that can run to its scheduler.
  static void submit(Thread virtual) {
    try {
      SUBMIT.invokeExact((VirtualThread) virtual);
    } catch (Throwable e) {
      throw rethrown(e);
    }
  }

  static RuntimeException rethrown(Throwable e) {
    return switch (e) {
      case RuntimeException failure -> failure;
      case Error error -> throw error;
      default -> new IllegalStateException(e); // none of the methods declares an exception
    };
  }

  // ---- virtual threads ----

  static int state(Thread virtual) {
    return (int) STATE.getVolatile((VirtualThread) virtual) & ~SUSPENDED;
  }

  static boolean casState(Thread virtual, int from, int to) {
    return STATE.compareAndSet((VirtualThread) virtual, from, to);
  }

  /// Whether the JVM has given the thread to its unblocker, which has not taken it yet.
  static boolean isOnWaitingList(Thread virtual) {
    return (boolean) ON_WAITING_LIST.getVolatile((VirtualThread) virtual);
  }

  // ---- platform threads ----

  static void setStatus(Thread platform, int status) {
    UNSAFE.putIntVolatile(UNSAFE.getReference(platform, HOLDER), STATUS, status);
  }

  /// Gives `to`, which has not started, what `from` has inherited.
  static void copyInheritance(Thread from, Thread to) {
    UNSAFE.putReference(to, INHERITABLE, UNSAFE.getReference(from, INHERITABLE));
    SCOPED_VALUES.set(to, SCOPED_VALUES.get(from));
    to.setContextClassLoader(from.getContextClassLoader());
  }

  /// The address of the JVM's own structure for the platform thread that carries the caller.
  static long nativeThread() {
    return UNSAFE.getLong(Thread.currentCarrierThread(), NATIVE_THREAD);
  }
}
