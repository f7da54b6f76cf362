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

/// Which monitors a virtual thread is in, and which one it waits to enter. The JDK tells it in a
/// room of its own only, so this needs a door: `--add-opens java.base/jdk.internal.vm=...` with
/// `dev.heddle`, or `ALL-UNNAMED` on the class path.
///
/// @param awaited what it waits to enter, for the first time or after a notification; or null
/// @param held what it is in, without what it has left by `Object.wait`
/// @param leftOne whether it has left one of those by `Object.wait`, and the JDK does not say which
public record HeldMonitors(@Nullable Object awaited, List<Object> held, boolean leftOne) {
  /*
   * The public way is a dump of all threads (HotSpotDiagnosticMXBean.dumpThreads, jcmd Thread.dump_to_file). It looks at virtual
   * threads without keeping them from being mounted meanwhile, and then reads a stack that is not there any more: the JVM ends by a SIGSEGV
   * (JDK-8364343; beside a loop that switches all the time 25.0.3 ends at the first to third dump). A report must not do that.
   *
   * Here one thread at a time is looked at, and none that can be mounted: it is of this loop, whose carrier is the one that asks. The
   * JDK may still hand it its monitor or its wake-up, which changes its state and not its stack; so state and blocker are read of one
   * look, and what does not fit together is no wait.
   *
   * What the compiler has eliminated is a lock without an object. What a thread waits on is told among what it holds; and which of
   * them it is, the JDK reads from the frame of the wait, and cannot once that is compiled.
   */
  private static final HeldMonitors NONE = new HeldMonitors(null, List.of(), false);
  private static final String ENTERS = "WAITING_TO_LOCK"; // of BlockerLockType
  private static final String WAITS = "WAITING_ON";
  private static final @Nullable Room ROOM = find();

  private static @Nullable Room find() {
    try {
      Class<?> look = Class.forName("jdk.internal.vm.ThreadSnapshot");
      Class<?> lock = Class.forName(look.getName() + "$ThreadLock");
      Class<?> blocker = Class.forName(look.getName() + "$ThreadBlocker");
      Class<?> kind = Class.forName(look.getName() + "$BlockerLockType");
      Lookup own = MethodHandles.lookup();
      Lookup inLook = MethodHandles.privateLookupIn(look, own);
      Lookup inBlocker = MethodHandles.privateLookupIn(blocker, own);
      return new Room(
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

  /// Whether they can be told.
  public static boolean known() {
    return ROOM != null;
  }

  /// Those of a thread; none when they cannot be told. **Thread** the carrier of that thread, with
  /// nobody mounted.
  public static HeldMonitors of(Thread thread) {
    Room room = ROOM;
    try {
      return room == null ? NONE : room.look(thread);
    } catch (Throwable e) {
      throw new IllegalStateException("the JDK was asked for the monitors of " + thread, e);
    }
  }

  /// The JDK's, by name.
  private record Room(
      MethodHandle of,
      MethodHandle state,
      VarHandle stack,
      VarHandle locks,
      VarHandle locked,
      VarHandle blocker,
      VarHandle blockerKind,
      VarHandle blockerObject) {

    HeldMonitors look(Thread thread) throws Throwable {
      Object look = of.invoke(thread);
      if (look == null) {
        return NONE; // it has ended
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
