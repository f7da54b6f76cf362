// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;

/// Linux system calls on file descriptors.
///
/// Each returns the result of the call, or the system's error number, negated. **Thread** any. A
/// call blocks only if the descriptor is blocking.
public final class LinuxCalls {
  // flags of open(2)
  public static final int WRITE_ONLY = 1;
  public static final int READ_WRITE = 2;
  public static final int CREATE = 0x40;
  public static final int NO_CONTROL = 0x100; // a terminal does not become the controlling one
  public static final int TRUNCATE = 0x200;
  public static final int APPEND = 0x400;
  public static final int NON_BLOCKING = 0x800;
  public static final int CLOSE_ON_EXEC = 0x80000;

  // errors
  public static final int ENOENT = 2;
  public static final int EINTR = 4;
  public static final int EIO = 5; // of a terminal: its other side is closed
  public static final int ENXIO = 6; // the other end is not open
  public static final int EAGAIN = 11; // the call would block
  public static final int EACCES = 13;

  private static final int DUPLICATE = 1030; // F_DUPFD_CLOEXEC
  private static final int GET_FLAGS = 3; // F_GETFL
  private static final int SET_FLAGS = 4; // F_SETFL
  private static final int FIRST_FREE = 3; // after the standard streams
  private static final int HERE = -100; // AT_FDCWD
  private static final int OF_NUMBER = 0x1000; // AT_EMPTY_PATH
  private static final int OF_LINK = 0x100; // AT_SYMLINK_NOFOLLOW
  private static final int OF_TYPE = 1; // STATX_TYPE
  private static final int STATX = 256; // bytes, of struct statx
  private static final int STATX_MODE = 28; // offset of stx_mode in struct statx
  private static final int TYPE = 0xf000; // S_IFMT
  private static final int FIFO = 0x1000; // S_IFIFO
  private static final int OPENED = 0x20; // IN_OPEN
  private static final int MOST = 1 << 16; // bytes in one call: what a pipe holds
  private static final int LONGEST_TEXT = 256; // bytes, of an error

  /// The system's encoding of names and arguments.
  public static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding"));

  private LinuxCalls() {}

  /// A C string: the text in [#NAMES], terminated by a zero byte. The JDK's own method knows six
  /// encodings only, and the system's may be another one.
  public static MemorySegment string(Arena arena, String text) {
    return string(arena, text.getBytes(NAMES));
  }

  /// A C string: the bytes, terminated by a zero byte.
  public static MemorySegment string(Arena arena, byte[] bytes) {
    MemorySegment string = arena.allocate(bytes.length + 1L);
    MemorySegment.copy(bytes, 0, string, ValueLayout.JAVA_BYTE, 0, bytes.length);
    return string;
  }

  // ---- descriptors ----

  /// Opens a file.
  ///
  /// @param mode the permissions of a file that is created
  public static int open(String path, int flags, int mode) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      MemorySegment name = string(arena, path);
      int fd;
      do {
        fd = (int) Call.OPEN.invokeExact(state, name, flags | CLOSE_ON_EXEC, mode);
      } while (fd < 0 && NativeCalls.error(state) == EINTR);
      return fd < 0 ? -NativeCalls.error(state) : fd;
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  /// Whether a path leads to a named pipe; false where that cannot be determined.
  ///
  /// @param follows whether a symbolic link at its end is followed
  public static boolean isFifo(String path, boolean follows) {
    return isFifo(HERE, path, follows ? 0 : OF_LINK);
  }

  /// Whether a file descriptor refers to a pipe, named or not.
  public static boolean isFifo(int fd) {
    return isFifo(fd, "", OF_NUMBER);
  }

  private static boolean isFifo(int from, String path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment known = arena.allocate(STATX, Long.BYTES);
      MemorySegment name = string(arena, path);
      int result = (int) Known.KNOWN.invokeExact(from, name, flags, OF_TYPE, known);
      return result == 0 && (known.get(ValueLayout.JAVA_SHORT, STATX_MODE) & TYPE) == FIFO;
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  /// Opens a file descriptor that becomes readable when a process opens `path`.
  public static int watchOpens(String path) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      int fd = (int) Call.NOTIFY.invokeExact(state, NON_BLOCKING | CLOSE_ON_EXEC);
      if (fd < 0) {
        return -NativeCalls.error(state);
      }
      MemorySegment name = string(arena, path);
      if ((int) Call.ADD_WATCH.invokeExact(state, fd, name, OPENED) < 0) {
        int error = NativeCalls.error(state);
        close(fd);
        return -error;
      }
      return fd;
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  public static void close(int fd) {
    try {
      int _ = (int) Call.CLOSE.invokeExact(fd);
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  /// Opens a pipe that child processes do not inherit.
  ///
  /// @param ends filled with the file descriptors: the reading end, the writing end
  public static int pipe(int[] ends) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      MemorySegment both = arena.allocate(ValueLayout.JAVA_INT, 2);
      if ((int) Call.PIPE.invokeExact(state, both, CLOSE_ON_EXEC) < 0) {
        return -NativeCalls.error(state);
      }
      ends[0] = both.getAtIndex(ValueLayout.JAVA_INT, 0);
      ends[1] = both.getAtIndex(ValueLayout.JAVA_INT, 1);
      return 0;
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  /// Duplicates a file descriptor; the new number is above those of the standard streams.
  public static int duplicate(int fd) {
    return control(fd, DUPLICATE, FIRST_FREE);
  }

  /// Makes a file descriptor blocking or non-blocking.
  public static int setBlocking(int fd, boolean blocking) {
    int flags = control(fd, GET_FLAGS, 0);
    return flags < 0
        ? flags
        : control(fd, SET_FLAGS, blocking ? flags & ~NON_BLOCKING : flags | NON_BLOCKING);
  }

  private static int control(int fd, int what, int argument) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      int result = (int) Call.CONTROL.invokeExact(state, fd, what, argument);
      return result < 0 ? -NativeCalls.error(state) : result;
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  /// Calls `ioctl`.
  public static int device(int fd, long request, MemorySegment argument) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      int result = (int) Call.DEVICE.invokeExact(state, fd, request, argument);
      return result < 0 ? -NativeCalls.error(state) : result;
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  // ---- bytes ----

  /// Reads what is available, and advances the buffer's position.
  ///
  /// @return the number of bytes; 0 at the end
  public static int read(int fd, ByteBuffer into) {
    return transfer(Call.READ, fd, into, true);
  }

  /// Writes what the system accepts, and advances the buffer's position.
  public static int write(int fd, ByteBuffer from) {
    return transfer(Call.WRITE, fd, from, false);
  }

  private static int transfer(MethodHandle call, int fd, ByteBuffer buffer, boolean reading) {
    int length = Math.min(buffer.remaining(), MOST);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      MemorySegment own = MemorySegment.ofBuffer(buffer).asSlice(0, length);
      boolean staged = !own.isNative();
      MemorySegment stage = staged ? arena.allocate(length) : own;
      if (!reading && staged) {
        stage.copyFrom(own);
      }
      long count;
      do {
        count = (long) call.invokeExact(state, fd, stage, (long) length);
      } while (count < 0 && NativeCalls.error(state) == EINTR);
      if (count < 0) {
        return -NativeCalls.error(state);
      }
      if (reading && staged) {
        MemorySegment.copy(stage, 0, own, 0, count);
      }
      buffer.position(buffer.position() + (int) count);
      return (int) count;
    } catch (Throwable e) {
      throw NativeCalls.broken(e); // also for a read-only buffer
    } finally {
      Reference.reachabilityFence(buffer);
    }
  }

  // ---- errors ----

  /// The system's message for an error.
  ///
  /// @param error positive
  @SuppressWarnings("restricted") // a string of the C library, of bounded length
  public static String text(int error) {
    try {
      MemorySegment text = (MemorySegment) Call.TEXT.invokeExact(error);
      MemorySegment longest = text.reinterpret(LONGEST_TEXT);
      int length = 0;
      while (longest.get(ValueLayout.JAVA_BYTE, length) != 0) {
        length++;
      }
      return new String(longest.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), NAMES);
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  /// An exception with the system's message for an error.
  ///
  /// @param error positive
  public static IOException failure(int error) {
    return new IOException(text(error));
  }

  /// Linked at the first call.
  private static final class Call {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final MemoryLayout POINTER = ValueLayout.ADDRESS;

    static final MethodHandle OPEN = NativeCalls.variadic("open", 2, INT, POINTER, INT, INT);
    static final MethodHandle NOTIFY = NativeCalls.capturing("inotify_init1", INT, INT);
    static final MethodHandle ADD_WATCH =
        NativeCalls.capturing("inotify_add_watch", INT, INT, POINTER, INT);
    static final MethodHandle CLOSE = NativeCalls.link("close", INT, INT);
    static final MethodHandle PIPE = NativeCalls.capturing("pipe2", INT, POINTER, INT);
    static final MethodHandle CONTROL = NativeCalls.variadic("fcntl", 2, INT, INT, INT, INT);
    static final MethodHandle DEVICE = NativeCalls.variadic("ioctl", 2, INT, INT, LONG, POINTER);
    static final MethodHandle READ = NativeCalls.capturing("read", LONG, INT, POINTER, LONG);
    static final MethodHandle WRITE = NativeCalls.capturing("write", LONG, INT, POINTER, LONG);
    static final MethodHandle TEXT = NativeCalls.link("strerror", POINTER, INT);

    private Call() {}
  }

  /// Linked separately: a driver calls it on the loop for each file that it opens.
  private static final class Known {
    static final MethodHandle KNOWN =
        NativeCalls.link(
            "statx",
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.ADDRESS,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.ADDRESS);

    private Known() {}
  }
}
