// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The monitors that a virtual thread holds, and the one that it waits to enter. The JDK reports
/// them only in an internal package, which needs `--add-opens java.base/jdk.internal.vm=...` with
/// `dev.heddle`, or `ALL-UNNAMED` on the class path.
///
/// @param awaited the monitor it waits to enter, for the first time or after a notification; or
///   null
/// @param held the monitors it holds, without the one it has released by `Object.wait`
/// @param leftOne whether `held` still contains a monitor that it has released by `Object.wait`,
///   because the JDK does not report which
public record HeldMonitors(@Nullable Object awaited, List<Object> held, boolean leftOne) {
  /*
   * The public way is a dump of all threads (HotSpotDiagnosticMXBean.dumpThreads, jcmd
   * Thread.dump_to_file). It reads the stacks of virtual threads without keeping them from being
   * mounted meanwhile, and may read a stack that no longer exists: the JVM then crashes with a
   * SIGSEGV (JDK-8364343; while a loop switches all the time, 25.0.3 crashes at the first to
   * third dump). A report must not cause that.
   *
   * This class reads one thread at a time, and only one that cannot be mounted: it belongs to the
   * loop whose carrier calls. The JDK may still hand it its monitor or its wake-up, which changes
   * its state but not its stack. So state and blocker are taken from one snapshot; if they
   * contradict each other, the thread does not wait.
   *
   * A lock that the compiler has eliminated has no object. The JDK lists the object that a thread
   * waits on among those it holds. Which one that is, the JDK reads from the frame of the wait; it
   * cannot do so once that frame is compiled.
   */
  private static final HeldMonitors NONE = new HeldMonitors(null, List.of(), false);
  private static final String ENTERS = "WAITING_TO_LOCK"; // of BlockerLockType
  private static final String WAITS = "WAITING_ON";
  private static final @Nullable JdkReader READER = find();

  private static @Nullable JdkReader find() {
    try {
      Class<?> look = Class.forName("jdk.internal.vm.ThreadSnapshot");
      Class<?> lock = Class.forName(look.getName() + "$ThreadLock");
      Class<?> blocker = Class.forName(look.getName() + "$ThreadBlocker");
      Class<?> kind = Class.forName(look.getName() + "$BlockerLockType");
      Lookup own = MethodHandles.lookup();
      Lookup inLook = MethodHandles.privateLookupIn(look, own);
      Lookup inBlocker = MethodHandles.privateLookupIn(blocker, own);
      return new JdkReader(
          inLook.findStatic(look, "of", MethodType.methodType(look, Thread.class)),
          inLook.findVirtual(look, "threadState", MethodType.methodType(Thread.State.class)),
          inLook.findVarHandle(look, "stackTrace", StackTraceElement[].class),
          inLook.findVarHandle(look, "locks", lock.arrayType()),
          MethodHandles.privateLookupIn(lock, own).findVarHandle(lock, "obj", Object.class),
          inLook.findVarHandle(look, "blocker", blocker),
          inBlocker.findVarHandle(blocker, "type", kind),
          inBlocker.findVarHandle(blocker, "obj", Object.class));
    } catch (ReflectiveOperationException _) {
      return null;
    }
  }

  public static boolean isSupported() {
    return READER != null;
  }

  /// The monitors of a thread; none when they cannot be read. **Thread** the carrier of that
  /// thread, with no coroutine mounted.
  public static HeldMonitors of(Thread thread) {
    JdkReader jdkReader = READER;
    try {
      return jdkReader == null ? NONE : jdkReader.read(thread);
    } catch (Throwable e) {
      throw new IllegalStateException("the JDK was asked for the monitors of " + thread, e);
    }
  }

  /// Handles to the JDK's internal classes.
  private record JdkReader(
      MethodHandle of,
      MethodHandle state,
      VarHandle stack,
      VarHandle locks,
      VarHandle locked,
      VarHandle blocker,
      VarHandle blockerKind,
      VarHandle blockerObject) {

    HeldMonitors read(Thread thread) throws Throwable {
      Object look = of.invoke(thread);
      if (look == null) {
        return NONE; // the thread has ended
      }
      Object blocking = blocker.get(look);
      String kind = blocking == null ? "" : String.valueOf(blockerKind.get(blocking));
      Object object = blocking == null ? null : blockerObject.get(blocking);
      Object left = kind.equals(WAITS) ? object : null;
      boolean enters =
          state.invoke(look) == Thread.State.BLOCKED && (kind.equals(ENTERS) || kind.equals(WAITS));
      List<Object> held = new ArrayList<>();
      for (Object lock : (Object[]) locks.get(look)) {
        Object monitor = locked.get(lock);
        if (monitor != null && monitor != left) {
          held.add(monitor);
        }
      }
      boolean waits = isWait((StackTraceElement[]) stack.get(look));
      return new HeldMonitors(enters ? object : null, held, waits && left == null);
    }

    private static boolean isWait(StackTraceElement[] stack) {
      return stack.length > 0
          && stack[0].getMethodName().equals("wait0")
          && stack[0].getClassName().equals(Object.class.getName());
    }
  }
}
