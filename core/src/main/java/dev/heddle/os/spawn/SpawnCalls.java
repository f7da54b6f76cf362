// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.spawn;

import dev.heddle.reactor.linux.NativeCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// The glibc calls that start processes, and the Linux calls that report their ends.
///
/// **Thread** any. Error numbers are returned negated, except by the calls named `posix_spawn…`,
/// which return them positive.
final class SpawnCalls {
  /// The size reserved for `posix_spawnattr_t` and `posix_spawn_file_actions_t`.
  static final int OPAQUE = 512; // bytes; 336 and 80 on x86-64

  static final int ESRCH = 3;
  static final int EINTR = 4;

  /// Result for a running process.
  static final int RUNS = -1;

  /// Result for a process that other code has already reaped.
  static final int NOT_OURS = -2;

  private static final long PIDFD_OPEN = 434; // on all architectures
  private static final int OF_PROCESS = 1; // P_PID
  private static final int NO_HANG = 1; // WNOHANG
  private static final int ENDED = 4; // WEXITED
  private static final int STAYS = 0x1000000; // WNOWAIT
  private static final int SIGNAL_INFO = 128; // bytes, of siginfo_t
  private static final int INFO_CODE = 8; // offsets of its fields
  private static final int INFO_PID = 16;
  private static final int INFO_STATUS = 24;
  private static final int EXITED = 1; // CLD_EXITED; other values: ended by a signal
  private static final int BY_SIGNAL = 128; // the encoding of the JDK and of shells

  private SpawnCalls() {}

  static boolean areThere() {
    // the newest one used: glibc 2.34; no other C library has it
    return NativeCalls.has("posix_spawn_file_actions_addclosefrom_np")
        && NativeCalls.has("gnu_get_libc_version");
  }

  /// Opens a descriptor that is readable when the process has ended.
  static int openPid(int pid) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      long fd = (long) Call.SYSCALL.invokeExact(state, PIDFD_OPEN, (long) pid, 0L);
      return (int) (fd < 0 ? -NativeCalls.error(state) : fd);
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  /// How a process has ended; it stays a zombie, and its id reserved, until [#reap].
  ///
  /// @param wait whether to wait for its end
  /// @return its exit code, or 128 + the signal; [#RUNS]; [#NOT_OURS]
  static int end(int pid, boolean wait) {
    return end(pid, STAYS | (wait ? 0 : NO_HANG));
  }

  static void reap(int pid) {
    int _ = end(pid, NO_HANG);
  }

  private static int end(int pid, int options) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      MemorySegment how = arena.allocate(SIGNAL_INFO, Long.BYTES);
      int result;
      do {
        result = (int) Call.WAITID.invokeExact(state, OF_PROCESS, pid, how, ENDED | options);
      } while (result < 0 && NativeCalls.error(state) == EINTR);
      if (result < 0) {
        return NOT_OURS;
      }
      if (how.get(ValueLayout.JAVA_INT, INFO_PID) == 0) {
        return RUNS;
      }
      int status = how.get(ValueLayout.JAVA_INT, INFO_STATUS);
      return how.get(ValueLayout.JAVA_INT, INFO_CODE) == EXITED ? status : BY_SIGNAL + status;
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  /// Sends a signal to a process or, if negative, to a group.
  static int kill(int pid, int signal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      int result = (int) Call.KILL.invokeExact(state, pid, signal);
      return result < 0 ? -NativeCalls.error(state) : result;
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  /// Throws for an error of the C library.
  static void check(int error) {
    if (error != 0) {
      throw new OutOfMemoryError("the C library has no memory left: error " + error);
    }
  }

  static final class Spawn {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final MemoryLayout POINTER = ValueLayout.ADDRESS;
    private static final String ACTIONS = "posix_spawn_file_actions_";
    private static final String ATTRIBUTES = "posix_spawnattr_";

    static final MethodHandle SPAWN =
        link("posix_spawnp", POINTER, POINTER, POINTER, POINTER, POINTER, POINTER);
    static final MethodHandle INIT_ACTIONS = link(ACTIONS + "init", POINTER);
    static final MethodHandle DESTROY_ACTIONS = link(ACTIONS + "destroy", POINTER);
    static final MethodHandle DUP = link(ACTIONS + "adddup2", POINTER, INT, INT);
    static final MethodHandle CLOSE_FROM = link(ACTIONS + "addclosefrom_np", POINTER, INT);
    static final MethodHandle INIT = link(ATTRIBUTES + "init", POINTER);
    static final MethodHandle DESTROY = link(ATTRIBUTES + "destroy", POINTER);
    static final MethodHandle FLAGS =
        link(ATTRIBUTES + "setflags", POINTER, ValueLayout.JAVA_SHORT);
    static final MethodHandle MASK = link(ATTRIBUTES + "setsigmask", POINTER, POINTER);

    private Spawn() {}

    private static MethodHandle link(String name, MemoryLayout... arguments) {
      return NativeCalls.link(name, INT, arguments);
    }

    static final class Rare {
      static final MethodHandle CHDIR = link(ACTIONS + "addchdir_np", POINTER, POINTER);
      static final MethodHandle OPEN = link(ACTIONS + "addopen", POINTER, INT, POINTER, INT, INT);

      private Rare() {}
    }
  }

  private static final class Call {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    static final MethodHandle SYSCALL = NativeCalls.variadic("syscall", 1, LONG, LONG, LONG, LONG);
    static final MethodHandle WAITID =
        NativeCalls.capturing("waitid", INT, INT, INT, ValueLayout.ADDRESS, INT);
    static final MethodHandle KILL = NativeCalls.capturing("kill", INT, INT, INT);

    private Call() {}
  }
}
