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
   * A JNI call tells the JVM that the thread leaves Java and comes back, and the C library's recv()
   * notes that the thread may be cancelled meanwhile: fences and exchanges, 0.15 to 0.25 us in all.
   * A call that does not wait needs neither. So this one stays in Java (to the linker it is
   * `critical`), and goes by syscall(), which is no cancellation point.
   *
   * While it runs, the JVM cannot stop all threads: hence LARGEST, some ten microseconds of
   * copying.
   *
   * What is left. A TCP read stops before the urgent byte, so one that got less than it asked for
   * may leave something. The ring cannot report that: a wake-up of a TCP socket always claims that
   * there is urgent data, and the ring passes the claim on. So the call itself reports how many
   * bytes are left (TCP_INQ, since Linux 4.18): recvmsg() brings the number along, where another
   * recvfrom() that finds nothing would cost a call for each read.
   *
   * Threads. The loop's. I1. The caller keeps the memory until the call returns. [UnixSocket]
   *
   * Rejected. Sends in the same way: the sends that matter are submitted, and code that is not
   * compiled yet allocates an object for the address. Without captureCallState, reading errno by a
   * second call: the JVM may stop the thread between the two, and use errno itself.
   */

  /// Bytes; more in one call is for Netty's.
  static final int LARGEST = 64 << 10;

  /// What [#left()] says when the system has not told.
  static final int UNKNOWN = -1;

  private static final long NOW_OR_NOT = 0x40; // MSG_DONTWAIT
  private static final int EINTR = 4;

  // one `struct msghdr` of 64 bits, the one part of its vector, and room for one answer
  private static final long VECTOR = 16;
  private static final long VECTOR_LENGTH = 24;
  private static final long ANSWER = 32;
  private static final long ANSWER_LENGTH = 40;
  private static final long BASE = 56;
  private static final long LENGTH = 64;
  private static final long TOLD = 72; // a `struct cmsghdr`, and an int
  private static final long TOLD_TYPE = TOLD + 12;
  private static final long TOLD_LEFT = TOLD + 16;
  private static final long TOLD_BYTES = 24;

  private final MemorySegment state = Arena.ofAuto().allocate(Call.STATE);
  private final MemorySegment message = Arena.ofAuto().allocate(TOLD + TOLD_BYTES, Long.BYTES);
  private int left = UNKNOWN;

  private SocketCalls() {
    message.set(ValueLayout.JAVA_LONG, VECTOR, message.address() + BASE);
    message.set(ValueLayout.JAVA_LONG, VECTOR_LENGTH, 1);
    message.set(ValueLayout.JAVA_LONG, ANSWER, message.address() + TOLD);
  }

  /// Null where native calls are not enabled, or this system's number for it is not known.
  static @Nullable SocketCalls open() {
    boolean isPossible =
        PlatformConstants.SYS_RECVFROM >= 0
            && SocketCalls.class.getModule().isNativeAccessEnabled();
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

  /// Receives, and asks how much is [#left()]. Else as [#receive].
  int receiveAndAsk(int fd, long address, int length) throws IOException {
    message.set(ValueLayout.JAVA_LONG, BASE, address);
    message.set(ValueLayout.JAVA_LONG, LENGTH, length);
    while (true) {
      message.set(ValueLayout.JAVA_LONG, ANSWER_LENGTH, TOLD_BYTES);
      int count = Call.recvmsg(state, fd, message.address());
      if (count >= 0) {
        boolean told =
            message.get(ValueLayout.JAVA_LONG, ANSWER_LENGTH) != 0
                && message.get(ValueLayout.JAVA_INT, TOLD_TYPE) == PlatformConstants.TCP_INQ;
        left = told ? message.get(ValueLayout.JAVA_INT, TOLD_LEFT) : UNKNOWN;
        return count == 0 ? -1 : count;
      }
      int error = (int) Call.ERRNO.get(state, 0L);
      if (error != EINTR) {
        return Errors.ioResult("recvmsg", -error);
      }
    }
  }

  /// How many bytes were there behind those that [#receiveAndAsk] has brought; [#UNKNOWN] on a
  /// socket without `TCP_INQ`.
  int left() {
    return left;
  }

  /// Linked with the first driver, and where it can be.
  private static final class Call {
    static final StructLayout STATE = Linker.Option.captureStateLayout();
    static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    static final @Nullable MethodHandle SYSCALL = link();

    private Call() {}

    static int recvfrom(MemorySegment state, long fd, long address, long length) {
      return call(state, PlatformConstants.SYS_RECVFROM, fd, address, length, NOW_OR_NOT);
    }

    static int recvmsg(MemorySegment state, long fd, long message) {
      return call(state, PlatformConstants.SYS_RECVMSG, fd, message, NOW_OR_NOT, 0L);
    }

    private static int call(
        MemorySegment state, long number, long fd, long second, long third, long fourth) {
      MethodHandle call = SYSCALL;
      if (call == null) {
        throw new IllegalStateException("the C library has no syscall(); ask open() before");
      }
      try {
        return (int) (long) call.invokeExact(state, number, fd, second, third, fourth, 0L, 0L);
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
