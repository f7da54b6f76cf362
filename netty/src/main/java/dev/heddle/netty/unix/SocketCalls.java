// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.linux.LinuxCalls;
import dev.heddle.reactor.linux.NativeCalls;
import io.netty.channel.unix.Errors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Receives on a non-blocking Linux socket, with minimal overhead outside the kernel.
///
/// **Thread** the carrier: all calls share one memory for their arguments.
final class SocketCalls {
  /*
   * A JNI call changes the thread's state in the JVM twice, and the C library's recv() is a
   * cancellation point: fences and exchanges of 0.15 to 0.25 us in all. A non-blocking call needs
   * neither. So this call is linked as `critical`, which skips the state change, and uses
   * syscall(), which is not a cancellation point.
   *
   * While it runs, the JVM cannot reach a safepoint: hence LARGEST, about ten microseconds of
   * copying.
   *
   * Remaining bytes. A TCP read stops before the urgent byte, so a short read may leave bytes. The
   * ring cannot report that: a TCP socket's wake-up always has the flag for urgent data, and the
   * ring passes it on. So the call itself reports the number of remaining bytes (TCP_INQ, since
   * Linux 4.18) through recvmsg(), which is cheaper than another recvfrom() per read.
   *
   * Threads. The carrier. I1. The caller keeps the memory valid until the call returns.
   * [UnixSocket]
   *
   * Rejected. Sends in the same way: the sends that matter are batched, and interpreted code
   * allocates an object for the address. Reading errno by a second call instead of
   * captureCallState: the JVM may stop the thread in between and overwrite errno.
   */

  /// Maximum bytes per call; larger reads use Netty's call.
  static final int LARGEST = 64 << 10;

  /// The value of [#left()] if the system did not report it.
  static final int UNKNOWN = -1;

  private static final long NOW_OR_NOT = 0x40; // MSG_DONTWAIT

  // a 64-bit `struct msghdr`, its one `iovec`, and room for one control message
  private static final long VECTOR = 16;
  private static final long VECTOR_LENGTH = 24;
  private static final long ANSWER = 32;
  private static final long ANSWER_LENGTH = 40;
  private static final long BASE = 56;
  private static final long LENGTH = 64;
  private static final long REPORT = 72; // a `struct cmsghdr`, and an int
  private static final long REPORT_TYPE = REPORT + 12;
  private static final long REPORT_LEFT = REPORT + 16;
  private static final long REPORT_BYTES = 24;

  private final MemorySegment state = Arena.ofAuto().allocate(NativeCalls.STATE);
  private final MemorySegment message = Arena.ofAuto().allocate(REPORT + REPORT_BYTES, Long.BYTES);
  private int left = UNKNOWN;

  private SocketCalls() {
    message.set(ValueLayout.JAVA_LONG, VECTOR, message.address() + BASE);
    message.set(ValueLayout.JAVA_LONG, VECTOR_LENGTH, 1);
    message.set(ValueLayout.JAVA_LONG, ANSWER, message.address() + REPORT);
  }

  /// Null if native calls are not enabled or the system call's number is unknown.
  static @Nullable SocketCalls open() {
    boolean isPossible =
        PlatformConstants.SYS_RECVFROM >= 0
            && SocketCalls.class.getModule().isNativeAccessEnabled();
    return isPossible && Call.SYSCALL != null ? new SocketCalls() : null;
  }

  /// Receives.
  ///
  /// @return the number of bytes; 0: would block; -1: the end
  int receive(int fd, long address, int length) throws IOException {
    while (true) {
      int count = Call.recvfrom(state, fd, address, length);
      if (count >= 0) {
        return count == 0 ? -1 : count;
      }
      int error = NativeCalls.error(state);
      if (error != LinuxCalls.EINTR) {
        return Errors.ioResult("recvfrom", -error);
      }
    }
  }

  /// Receives, and reads the number of bytes [#left()]. Otherwise as [#receive].
  int receiveAndAsk(int fd, long address, int length) throws IOException {
    message.set(ValueLayout.JAVA_LONG, BASE, address);
    message.set(ValueLayout.JAVA_LONG, LENGTH, length);
    while (true) {
      message.set(ValueLayout.JAVA_LONG, ANSWER_LENGTH, REPORT_BYTES);
      int count = Call.recvmsg(state, fd, message.address());
      if (count >= 0) {
        boolean isReported =
            message.get(ValueLayout.JAVA_LONG, ANSWER_LENGTH) != 0
                && message.get(ValueLayout.JAVA_INT, REPORT_TYPE) == PlatformConstants.TCP_INQ;
        left = isReported ? message.get(ValueLayout.JAVA_INT, REPORT_LEFT) : UNKNOWN;
        return count == 0 ? -1 : count;
      }
      int error = NativeCalls.error(state);
      if (error != LinuxCalls.EINTR) {
        return Errors.ioResult("recvmsg", -error);
      }
    }
  }

  /// The number of bytes that remained after [#receiveAndAsk]; [#UNKNOWN] on a socket without
  /// `TCP_INQ`.
  int left() {
    return left;
  }

  /// Linked with the first driver, if possible.
  private static final class Call {
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
        throw new IllegalStateException("the C library has no syscall(); check open() first");
      }
      try {
        return (int) (long) call.invokeExact(state, number, fd, second, third, fourth, 0L, 0L);
      } catch (Throwable e) {
        throw NativeCalls.broken(e);
      }
    }

    @SuppressWarnings("restricted") // signature from the manual page
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
