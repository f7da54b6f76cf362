// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.FileTransfer;
import dev.heddle.reactor.driver.Support;
import dev.heddle.reactor.linux.LinuxCalls;
import dev.heddle.reactor.linux.NativeCalls;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Linux calls on descriptors for which Netty has no method, or one that does too much: passing
/// descriptors, UNIX names, and the kind of a foreign descriptor.
///
/// **Thread** any; each call allocates its own memory.
final class DescriptorCalls {
  /*
   * A received descriptor is open in this process as soon as recvmsg() returns, even if the rest of
   * the message is invalid. So descriptors are collected before the message is checked.
   *
   * The control buffer has room for exactly `most` descriptors: rounded up, as by CMSG_SPACE, it
   * would admit one more. The kernel closes descriptors without room and sets MSG_CTRUNC; it does
   * the same when this process cannot open more.
   *
   * Cost. A few allocations per call: descriptors are passed far less often than bytes.
   *
   * Rejected. Netty's sendFd() and recvFd(): they pass one descriptor with a byte of their own,
   * without MSG_CMSG_CLOEXEC, so a child started meanwhile inherits it.
   */
  private static final @Nullable String PROBLEM = problem();

  private static final int NOW_OR_NOT = 0x40; // MSG_DONTWAIT
  private static final int NO_SIGNAL = 0x4000; // MSG_NOSIGNAL
  private static final int CLOSE_ON_EXEC = 0x4000_0000; // MSG_CMSG_CLOEXEC
  private static final int CUT = 0x8; // MSG_CTRUNC
  private static final int RIGHTS = 1; // SCM_RIGHTS
  private static final int EINVAL = 22;
  private static final int ENOSYS = 38;

  // fcntl
  private static final int SET_DESCRIPTOR_FLAGS = 2; // F_SETFD
  private static final int GET_FLAGS = 3; // F_GETFL
  private static final int SET_FLAGS = 4; // F_SETFL
  private static final int CLOEXEC = 1; // FD_CLOEXEC
  private static final int DUPLICATE = 1_030; // F_DUPFD_CLOEXEC
  private static final int ACCESS = 3; // O_ACCMODE
  private static final int WRITE_ONLY = 1; // O_WRONLY

  // struct sockaddr_un
  private static final short AF_UNIX = 1;
  private static final int FAMILY_BYTES = 2;
  private static final int LONGEST_NAME = 108;

  // struct msghdr of 64 bits
  private static final long NAME = 0;
  private static final long NAME_LENGTH = 8;
  private static final long VECTOR = 16;
  private static final long VECTOR_LENGTH = 24;
  private static final long CONTROL = 32;
  private static final long CONTROL_LENGTH = 40;
  private static final long FLAGS = 48;
  private static final long MESSAGE_BYTES = 56;

  // struct cmsghdr
  private static final long LEVEL = 8;
  private static final long TYPE = 12;
  private static final long HEADER = 16;

  private DescriptorCalls() {}

  private static @Nullable String problem() {
    if (!PlatformConstants.LINUX || PlatformConstants.SYS_RECVMSG < 0) {
      return "it is available on 64-bit Linux only";
    }
    Module here = NativeCalls.class.getModule(); // which links them
    return here.isNativeAccessEnabled()
        ? null
        : "it needs native calls; start the JVM with --enable-native-access="
            + (here.isNamed() ? here.getName() : "ALL-UNNAMED");
  }

  static boolean areThere() {
    return PROBLEM == null;
  }

  /// The support of a capability that needs these calls.
  static Support support(String how) {
    return PROBLEM == null ? Support.natively(how) : Support.unsupported(PROBLEM);
  }

  // ---- sending and receiving ----

  /// Sends bytes, and descriptors with them.
  ///
  /// @return the number of bytes; 0: would block, and no descriptor was sent
  static int send(int fd, ByteBuffer direct, int from, int to, int[] numbers) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment control = arena.allocate(HEADER + 4L * numbers.length, Long.BYTES);
      control.set(ValueLayout.JAVA_LONG, 0, control.byteSize());
      control.set(ValueLayout.JAVA_INT, LEVEL, PlatformConstants.SOL_SOCKET);
      control.set(ValueLayout.JAVA_INT, TYPE, RIGHTS);
      MemorySegment.copy(numbers, 0, control, ValueLayout.JAVA_INT, HEADER, numbers.length);
      MemorySegment message = message(arena, direct, from, to, control);
      return called(arena, "sendmsg", Call.SENDMSG, fd, message, NOW_OR_NOT | NO_SIGNAL);
    } finally {
      Reference.reachabilityFence(direct);
    }
  }

  /// Receives bytes, and the descriptors that came with them.
  ///
  /// @param most maximum number of descriptors
  static Received receive(int fd, ByteBuffer direct, int from, int to, int most)
      throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment control = arena.allocate(HEADER + 4L * most, Long.BYTES);
      MemorySegment message = message(arena, direct, from, to, control);
      int count = called(arena, "recvmsg", Call.RECVMSG, fd, message, NOW_OR_NOT | CLOSE_ON_EXEC);
      long used = message.get(ValueLayout.JAVA_LONG, CONTROL_LENGTH);
      boolean isCut = (message.get(ValueLayout.JAVA_INT, FLAGS) & CUT) != 0;
      return count <= 0
          ? new Received(count, List.of(), false)
          : new Received(count, numbers(control, used), isCut);
    } finally {
      Reference.reachabilityFence(direct);
    }
  }

  /// The result of a receiving call.
  ///
  /// @param bytes their number; 0: would block; -1: the end
  /// @param numbers descriptors, now owned by this process
  /// @param isCut whether more descriptors came than fit
  record Received(int bytes, List<Integer> numbers, boolean isCut) {}

  private static MemorySegment message(
      Arena arena, ByteBuffer direct, int from, int to, MemorySegment control) {
    long address = MemorySegment.ofBuffer(direct).address() - direct.position();
    MemorySegment vector = arena.allocate(ValueLayout.JAVA_LONG, 2);
    vector.setAtIndex(ValueLayout.JAVA_LONG, 0, address + from);
    vector.setAtIndex(ValueLayout.JAVA_LONG, 1, to - from);
    MemorySegment message = arena.allocate(MESSAGE_BYTES, Long.BYTES);
    message.set(ValueLayout.JAVA_LONG, VECTOR, vector.address());
    message.set(ValueLayout.JAVA_LONG, VECTOR_LENGTH, 1);
    message.set(ValueLayout.JAVA_LONG, CONTROL, control.address());
    message.set(ValueLayout.JAVA_LONG, CONTROL_LENGTH, control.byteSize());
    return message;
  }

  private static List<Integer> numbers(MemorySegment control, long used) {
    List<Integer> all = new ArrayList<>();
    for (long at = 0; at + HEADER <= used; ) {
      long length = control.get(ValueLayout.JAVA_LONG, at);
      if (length < HEADER) {
        break;
      }
      boolean isRights =
          control.get(ValueLayout.JAVA_INT, at + LEVEL) == PlatformConstants.SOL_SOCKET
              && control.get(ValueLayout.JAVA_INT, at + TYPE) == RIGHTS;
      for (long one = at + HEADER; isRights && one + 4 <= at + length; one += 4) {
        all.add(control.get(ValueLayout.JAVA_INT, one));
      }
      at += length + 7 & ~7L;
    }
    return all;
  }

  /// @return -1 at the end of the input, when receiving
  private static int called(
      Arena arena, String name, MethodHandle call, int fd, MemorySegment message, int flags)
      throws IOException {
    MemorySegment state = arena.allocate(NativeCalls.STATE);
    while (true) {
      long count;
      try {
        count = (long) call.invokeExact(state, fd, message, flags);
      } catch (Throwable e) {
        throw NativeCalls.broken(e);
      }
      if (count >= 0) {
        return count == 0 ? -1 : (int) count;
      }
      int error = NativeCalls.error(state);
      if (error != LinuxCalls.EINTR) {
        return Errors.ioResult(name, -error);
      }
    }
  }

  // ---- UNIX names ----

  /// Binds a UNIX socket to a name; fails if the name exists.
  ///
  /// @param name a path, or an abstract name with its leading NUL
  static void bind(int fd, byte[] name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      MemorySegment address = address(arena, name);
      if ((int) Call.BIND.invokeExact(state, fd, address, (int) address.byteSize()) < 0) {
        throw Failures.of("bind", -NativeCalls.error(state));
      }
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  /// Sends an empty datagram. Netty's calls do not report whether it was sent.
  ///
  /// @param receiver as in [#bind]; null: the connected peer
  /// @return whether it was sent; false: the receiver's buffer is full
  static boolean sendEmpty(int fd, byte @Nullable [] receiver) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocate(MESSAGE_BYTES, Long.BYTES);
      if (receiver != null) {
        MemorySegment address = address(arena, receiver);
        message.set(ValueLayout.JAVA_LONG, NAME, address.address());
        message.set(ValueLayout.JAVA_INT, NAME_LENGTH, (int) address.byteSize());
      }
      return called(arena, "sendmsg", Call.SENDMSG, fd, message, NOW_OR_NOT | NO_SIGNAL) != 0;
    }
  }

  /// A `struct sockaddr_un` of the length of the name.
  private static MemorySegment address(Arena arena, byte[] name) throws SocketException {
    int end = name.length > 0 && name[0] == 0 ? 0 : 1; // a path is NUL-terminated
    if (name.length + end > LONGEST_NAME) {
      throw new SocketException("Unix domain path too long");
    }
    MemorySegment address = arena.allocate(FAMILY_BYTES + name.length + end, Short.BYTES);
    address.set(ValueLayout.JAVA_SHORT, 0, AF_UNIX);
    MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, FAMILY_BYTES, name.length);
    return address;
  }

  // ---- foreign descriptors ----

  /// The value of a socket option.
  ///
  /// @return the value, or a negated error number, for example for a descriptor that is not a
  ///   socket
  static int option(int fd, int option) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
      MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, Integer.BYTES);
      int result =
          (int)
              Call.GETSOCKOPT.invokeExact(
                  state, fd, PlatformConstants.SOL_SOCKET, option, value, length);
      return result < 0 ? -NativeCalls.error(state) : value.get(ValueLayout.JAVA_INT, 0);
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  /// Sets a descriptor to non-blocking mode and close-on-exec.
  ///
  /// @return whether it is write-only
  static boolean makeOurs(int fd) throws IOException {
    int flags = control(fd, GET_FLAGS, 0);
    control(fd, SET_FLAGS, flags | LinuxCalls.NON_BLOCKING);
    control(fd, SET_DESCRIPTOR_FLAGS, CLOEXEC);
    return (flags & ACCESS) == WRITE_ONLY;
  }

  private static int control(int fd, int what, int value) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      int result = (int) Call.FCNTL.invokeExact(state, fd, what, value);
      if (result < 0) {
        throw Failures.of("fcntl", -NativeCalls.error(state));
      }
      return result;
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  /// Duplicates a descriptor, with close-on-exec.
  static int duplicate(int fd) throws IOException {
    return control(fd, DUPLICATE, 0);
  }

  static void close(int fd) {
    try {
      new FileDescriptor(fd).close();
    } catch (IOException e) {
      // the descriptor is closed even if close fails
      AsyncLog.shared().debug("while closing " + fd, e);
    }
  }

  /// Sends a part of a file to a socket. **Thread** a worker thread, because the file may have to
  /// be read from disk.
  ///
  /// @return as [FileTransfer#send]
  static long sendFile(int socket, int file, long position, long count) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      MemorySegment offset = arena.allocateFrom(ValueLayout.JAVA_LONG, position);
      while (true) {
        long sent = (long) Call.SENDFILE.invokeExact(state, socket, file, offset, count);
        if (sent >= 0) {
          return sent == 0 ? FileTransfer.END : sent;
        }
        int error = NativeCalls.error(state);
        if (error == EINVAL || error == ENOSYS) {
          return FileTransfer.UNSUPPORTED;
        }
        if (error == LinuxCalls.EAGAIN) {
          return 0;
        }
        if (error != LinuxCalls.EINTR) {
          throw Failures.of("sendfile", -error);
        }
      }
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  /// Linked at the first call, if possible.
  private static final class Call {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final MemoryLayout POINTER = ValueLayout.ADDRESS;

    static final MethodHandle SENDMSG = NativeCalls.capturing("sendmsg", LONG, INT, POINTER, INT);
    static final MethodHandle RECVMSG = NativeCalls.capturing("recvmsg", LONG, INT, POINTER, INT);
    static final MethodHandle BIND = NativeCalls.capturing("bind", INT, INT, POINTER, INT);
    static final MethodHandle GETSOCKOPT =
        NativeCalls.capturing("getsockopt", INT, INT, INT, INT, POINTER, POINTER);
    static final MethodHandle SENDFILE =
        NativeCalls.capturing("sendfile", LONG, INT, INT, POINTER, LONG);
    static final MethodHandle FCNTL = NativeCalls.variadic("fcntl", 2, INT, INT, INT, INT);

    private Call() {}
  }
}
