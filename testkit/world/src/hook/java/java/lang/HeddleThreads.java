// SPDX-License-Identifier: Apache-2.0
package java.lang;

import java.util.concurrent.Executor;
import jdk.internal.misc.InnocuousThread;
import jdk.internal.vm.ThreadContainer;

/// Threads that a program starts.
public final class HeddleThreads {
  /*
   * A platform thread that code of a world starts is adopted. It never runs itself: a virtual
   * thread, its body, runs its code on a carrier. The platform thread is the face that the program
   * knows: it has the name, the daemon flag, the subclass and its fields. The filters below map one
   * to the other wherever the two would be seen to differ.
   *
   * States of the face (Thread.holder.threadStatus; the JVM does not touch it, for the thread has
   * no JVM thread).
   *   from        event             to          who, order
   *   NEW         start0            RUNNABLE    the starter, holding the face's monitor: enter the
   *                                             pair into the world, then start the body
   *   RUNNABLE    run() has ended   TERMINATED  the body: leave the container; then, holding the
   *                                             face's monitor: store, remove the pair, notifyAll
   *                                             (for join)
   *
   * Where the face's own field decides: NEW and TERMINATED (getState, isAlive, join, a second
   * start). Where the body decides: between the two (getState, isInterrupted, getStackTrace), and
   * always for interrupt and unpark.
   *
   * I1. Thread.currentThread() in rewritten code gives the face, and its identity with `this` in a
   *     subclass of Thread holds. In classes of java.lang it gives the body: parking, thread-locals
   *     and scoped values are the body's. [AdoptedThreadTest]
   * I2. A body takes over what the face has inherited: inheritable locals, class loader, scoped
   *     values. [AdoptedThreadTest]
   * I3. The JDK's own threads (InnocuousThread) are never adopted: they serve the whole JVM.
   *
   * Rejected. Making the program's platform thread itself mountable: the JVM ties a platform thread
   * to one of the system. Replacing `new Thread` by a virtual thread: a subclass would be lost.
   */
  private HeddleThreads() {}

  /// Instead of `Thread.start0()`.
  public static void start(Thread face) {
    HeddleWorld world = HeddleWorld.current();
    if (world == null || face instanceof InnocuousThread || !world.adopts(face)) {
      HeddleInternals.start0(face);
      return;
    }
    VirtualThread body =
        new VirtualThread(
            null, face.getName(), Thread.NO_INHERIT_THREAD_LOCALS, () -> run(world, face));
    HeddleInternals.copyInheritance(face, body);
    HeddleInternals.setStatus(face, HeddleInternals.RUNNABLE);
    world.enter(face, body);
    world.onAdopted(face, body);
    body.start();
  }

  private static void run(HeddleWorld world, Thread face) {
    try {
      face.run();
    } catch (Throwable e) {
      dispatch(face, e);
    } finally {
      ThreadContainer container = face.threadContainer();
      if (container != null) {
        container.remove(face);
      }
      synchronized (face) {
        HeddleInternals.setStatus(face, HeddleInternals.TERMINATED);
        world.leave(face);
        face.notifyAll();
      }
      world.onEnd(face);
    }
  }

  private static void dispatch(Thread face, Throwable e) {
    try {
      uncaughtHandler(face.getUncaughtExceptionHandler(), face).uncaughtException(face, e);
    } catch (Throwable _) {
      // safe: the JVM ignores what a handler throws, too
    }
  }

  /// Filters the handler that gets what has ended `thread`.
  public static Thread.UncaughtExceptionHandler uncaughtHandler(
      Thread.UncaughtExceptionHandler jdk, Thread thread) {
    HeddleWorld world = HeddleWorld.current();
    boolean isDefault =
        jdk instanceof ThreadGroup group
            && group.getClass() == ThreadGroup.class
            && Thread.getDefaultUncaughtExceptionHandler() == null;
    return world != null && isDefault ? world::onUncaught : jdk;
  }

  /// Filters the scheduler that a new virtual thread is made with.
  ///
  /// @param chosen null: the JDK is about to choose one
  public static Executor scheduler(Executor chosen) {
    HeddleWorld world = HeddleWorld.current();
    return world == null || chosen != null ? chosen : world.newScheduler();
  }

  /// At the start of `VirtualThread.start`.
  public static void starting(Thread virtual) {
    HeddleWorld world = HeddleWorld.current();
    if (world != null) {
      world.onStarting(virtual);
    }
  }

  // ---- face and body ----

  /// Instead of `Thread.currentThread()` in rewritten code: the thread that the program knows.
  public static Thread currentThread() {
    Thread thread = Thread.currentThread();
    HeddleWorld world = HeddleWorld.current();
    return world == null ? thread : world.faceOf(thread);
  }

  /// Instead of `Thread.threadId()` in rewritten code. The true id differs between two worlds of
  /// one JVM, which tells the owners of monitors apart by it.
  public static long threadId(Thread thread) {
    return HeddleWorld.current() == null ? thread.threadId() : (int) thread.threadId();
  }

  /// Filters the argument of `LockSupport.unpark`.
  public static Thread target(Thread thread) {
    Thread body = bodyOf(thread);
    return body == null ? thread : body;
  }

  public static boolean alive(boolean jdk, Thread thread) {
    return jdk || bodyOf(thread) != null;
  }

  public static Thread.State threadState(Thread.State jdk, Thread thread) {
    Thread body = bodyOf(thread);
    return body == null ? jdk : body.threadState();
  }

  public static boolean isInterrupted(boolean jdk, Thread thread) {
    Thread body = bodyOf(thread);
    return body == null ? jdk : body.isInterrupted();
  }

  /// At the start of `Thread.interrupt`.
  public static void interrupting(Thread thread) {
    Thread body = bodyOf(thread);
    if (body != null) {
      body.interrupt();
    }
  }

  public static StackTraceElement[] stackTrace(StackTraceElement[] jdk, Thread thread) {
    Thread body = bodyOf(thread);
    return body == null ? jdk : body.getStackTrace();
  }

  /// Instead of `parent.inheritableThreadLocals` in the constructors of `Thread`: thread-locals are
  /// the body's.
  static ThreadLocal.ThreadLocalMap inheritableLocals(Thread parent) {
    return target(parent).inheritableThreadLocals();
  }

  // the body of an adopted thread that has not ended, whoever asks: another thread of the JVM, too
  private static Thread bodyOf(Thread thread) {
    HeddleWorld world = thread == null || thread.isVirtual() ? null : HeddleWorld.ofFace(thread);
    return world == null ? null : world.bodyOf(thread);
  }
}
