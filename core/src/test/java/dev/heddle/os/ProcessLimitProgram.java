// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.Heddle;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// Starts children where the system gives no process and no thread.
final class ProcessLimitProgram {
  private static final int PROCESSES = 6; // RLIMIT_NPROC
  private static final int SOMEBODY = 54_321; // root has no limit
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

  private ProcessLimitProgram() {}

  public static void main(String[] arguments) throws Throwable {
    MethodHandle limit = link("setrlimit", INT, ValueLayout.ADDRESS);
    MethodHandle get = link("getrlimit", INT, ValueLayout.ADDRESS);
    MethodHandle become = link("setresuid", INT, INT, INT);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment before = arena.allocate(ValueLayout.JAVA_LONG, 2); // soft, hard
      MemorySegment none = arena.allocate(ValueLayout.JAVA_LONG, 2);
      int _ = (int) get.invokeExact(PROCESSES, before);
      none.setAtIndex(ValueLayout.JAVA_LONG, 0, 1);
      none.setAtIndex(ValueLayout.JAVA_LONG, 1, before.getAtIndex(ValueLayout.JAVA_LONG, 1));
      Heddle.run(() -> tell("before: ")); // loads what only we may read
      int _ = (int) become.invokeExact(SOMEBODY, SOMEBODY, SOMEBODY); // fails unless we are root
      Heddle.run(() -> {
        set(limit, none);
        tell("no thread: ");
        set(limit, before);
        tell("in between: ");
        set(limit, none);
        tell("no process: ");
        set(limit, before);
        tell("and then: ");
      });
      System.out.println("ended");
    }
  }

  private static void tell(String when) {
    try {
      System.out.println(when + Command.of("true").run().exitCode());
    } catch (IOException e) {
      System.out.println(when + e);
    }
  }

  private static void set(MethodHandle limit, MemorySegment to) {
    try {
      int result = (int) limit.invokeExact(PROCESSES, to);
      assert result == 0;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  @SuppressWarnings("restricted") // the signatures are those of the manual pages
  private static MethodHandle link(String name, java.lang.foreign.MemoryLayout... parameters) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(INT, parameters));
  }
}
