// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import io.netty.channel.unix.Errors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Receives by a socket of Linux that never waits, at the least cost beside the kernel's.
///
/// **Thread** the loop's: it has one memory for what a call is told.
final class SocketCalls {
  /*
   * A call by JNI tells the JVM that the thread leaves Java and comes back, and the C library's recv() tells its own
   * that the thread may be cancelled meanwhile: fences and exchanges, 0.15 to 0.25 us in all. Neither is needed for a call that does not
   * wait. So this one stays in Java (it is `critical` to the linker), and goes by syscall(), which is no point of cancellation.
   *
   * While it runs, nothing can begin for which the JVM stops all threads: hence LARGEST, some ten microseconds of copying.
   *
   * Threads. The loop's. I1. Who calls keeps the memory until the call is back. [UnixSocket]
   *
   * Rejected. Sends in the same way: those that matter are submitted, and code that is not compiled yet makes an object for the address.
   * Without captureCallState, reading errno by a second call: the JVM may stop the thread between them, and use errno itself.
   */

  /// Bytes; more in one call is for Netty's.
  static final int LARGEST = 64 << 10;

  private static final long NOW_OR_NOT = 0x40; // MSG_DONTWAIT
  private static final int EINTR = 4;

  private final MemorySegment state = Arena.ofAuto().allocate(Call.STATE);

  private SocketCalls() {}

  /// Null where native calls are not enabled, or this system's number for it is not known.
  static @Nullable SocketCalls open() {
    boolean isPossible =
        SystemNumbers.SYS_RECVFROM >= 0 && SocketCalls.class.getModule().isNativeAccessEnabled();
    return isPossible && Call.SYSCALL != null ? new SocketCalls() : null;
  }

  /// Receives.
  ///
  /// @return how many bytes; 0: none yet; -1: the end
  int receive(int fd, long address, int length) throws IOException {
    while (true) {
      int count = Call.recvfrom(state, fd, address, length);
      if (count >= 0) {
        return count == 0 ? -1 : count;
      }
      int error = (int) Call.ERRNO.get(state, 0L);
      if (error != EINTR) {
        return Errors.ioResult("recvfrom", -error);
      }
    }
  }

  /// Linked with the first driver, and where it can be.
  private static final class Call {
    static final StructLayout STATE = Linker.Option.captureStateLayout();
    static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    static final @Nullable MethodHandle SYSCALL = link();

    private Call() {}

    static int recvfrom(MemorySegment state, long fd, long address, long length) {
      MethodHandle call = SYSCALL;
      if (call == null) {
        throw new IllegalStateException("the C library has no syscall(); ask open() before");
      }
      long number = SystemNumbers.SYS_RECVFROM;
      try {
        return (int)
            (long) call.invokeExact(state, number, fd, address, length, NOW_OR_NOT, 0L, 0L);
      } catch (Throwable e) {
        throw new AssertionError(e); // a downcall throws nothing
      }
    }

    @SuppressWarnings("restricted") // the signature is that of the manual page
    private static @Nullable MethodHandle link() {
      Linker linker = Linker.nativeLinker();
      Optional<MemorySegment> syscall = linker.defaultLookup().find("syscall");
      ValueLayout.OfLong word = ValueLayout.JAVA_LONG;
      return syscall.isEmpty()
          ? null
          : linker.downcallHandle(
              syscall.get(),
              FunctionDescriptor.of(word, word, word, word, word, word, word, word),
              Linker.Option.firstVariadicArg(1),
              Linker.Option.critical(false),
              Linker.Option.captureCallState("errno"));
    }
  }
}
