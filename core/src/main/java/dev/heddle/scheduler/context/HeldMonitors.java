// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Which monitors a virtual thread holds, and which one it waits for. The JDK tells it in a room of
/// its own only, so this needs a door: `--add-opens java.base/jdk.internal.vm=...` with
/// `dev.heddle`, or `ALL-UNNAMED` on the class path.
///
/// **Thread** the carrier of the thread that is asked about, with nobody mounted.
public final class HeldMonitors {
  /*
   * The public way is a dump of all threads (HotSpotDiagnosticMXBean.dumpThreads, jcmd Thread.dump_to_file). It looks at virtual
   * threads without keeping them from being mounted meanwhile, and then reads a stack that is not there any more: the JVM ends by a SIGSEGV
   * (JDK-8364343; beside a loop that switches all the time 25.0.3 ends at the first to third dump). A report must not do that.
   *
   * Here one thread at a time is looked at, and none that can be mounted: it is of this loop, whose carrier is the one that asks.
   */
  private static final @Nullable Doors DOORS = find();

  private HeldMonitors() {}

  private static @Nullable Doors find() {
    try {
      Class<?> snapshot = Class.forName("jdk.internal.vm.ThreadSnapshot");
      Lookup inside = MethodHandles.privateLookupIn(snapshot, MethodHandles.lookup());
      MethodType look = MethodType.methodType(snapshot, Thread.class);
      MethodType one = MethodType.methodType(Object.class);
      MethodType stack = MethodType.methodType(StackTraceElement[].class);
      MethodType some = MethodType.methodType(Stream.class, int.class);
      return new Doors(
          inside.findStatic(snapshot, "of", look),
          inside.findVirtual(snapshot, "blockedOn", one),
          inside.findVirtual(snapshot, "stackTrace", stack),
          inside.findVirtual(snapshot, "ownedMonitorsAt", some));
    } catch (ReflectiveOperationException _) {
      return null;
    }
  }

  /// Whether they can be told.
  public static boolean known() {
    return DOORS != null;
  }

  /// The monitor that a thread waits to enter; null when there is none, or it cannot be told.
  public static @Nullable Object awaitedBy(Thread thread) {
    Doors doors = DOORS;
    return doors == null ? null : doors.awaitedBy(thread);
  }

  /// The monitors that a thread is in; none when they cannot be told.
  public static List<Object> heldBy(Thread thread) {
    Doors doors = DOORS;
    return doors == null ? List.of() : doors.heldBy(thread);
  }

  private record Doors(
      MethodHandle look, MethodHandle awaited, MethodHandle stack, MethodHandle heldAt) {

    @Nullable Object awaitedBy(Thread thread) {
      try {
        Object seen = look.invoke(thread);
        return seen == null ? null : awaited.invoke(seen);
      } catch (Throwable e) {
        throw new IllegalStateException("the JDK was asked what " + thread + " waits for", e);
      }
    }

    List<Object> heldBy(Thread thread) {
      List<Object> held = new ArrayList<>();
      try {
        Object seen = look.invoke(thread);
        int depth = seen == null ? 0 : ((StackTraceElement[]) stack.invoke(seen)).length;
        for (int i = 0; i < depth; i++) {
          ((Stream<?>) heldAt.invoke(seen, i)).forEach(held::add);
        }
      } catch (Throwable e) {
        throw new IllegalStateException("the JDK was asked what " + thread + " holds", e);
      }
      return held;
    }
  }
}
