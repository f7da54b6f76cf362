// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// An epoll set of Linux, level-triggered.
///
/// **Thread** [#add], [#change] and [#remove] the loop's; [#poll] on one thread at a time, which
/// may be another. The two groups use separate native memory, and the kernel lets them run in
/// parallel.
final class Epoll {
  static final int IN = 0x1;
  static final int OUT = 0x4;
  static final int ERR = 0x8;
  static final int HUP = 0x10;
  static final int RDHUP = 0x2000;
  static final int ONCE = 1 << 30; // EPOLLONESHOT

  static final int EPERM = 1;
  static final int ENOENT = 2;
  static final int EBADF = 9;
  static final int EEXIST = 17;
  static final int EINVAL = 22;

  private static final int ADD = 1;
  private static final int REMOVE = 2;
  private static final int CHANGE = 3;

  /// The most events that one poll returns.
  static final int MAX_EVENTS = 64;

  // struct epoll_event is packed on x86-64 only
  private static final boolean PACKED =
      System.getProperty("os.arch").equals("amd64")
          || System.getProperty("os.arch").equals("x86_64");
  private static final int DATA = PACKED ? 4 : 8; // bytes
  private static final int EVENT = DATA + 8; // bytes

  private final int number;
  private final MemorySegment event;
  private final MemorySegment state;
  private final MemorySegment found;
  private final MemorySegment pollState;

  Epoll() throws IOException {
    Arena arena = Arena.ofAuto(); // several threads use it, and it need not be closed
    event = arena.allocate(EVENT, 8);
    state = arena.allocate(NativeCalls.STATE);
    found = arena.allocate((long) EVENT * MAX_EVENTS, 8);
    pollState = arena.allocate(NativeCalls.STATE);
    try {
      number = (int) Call.CREATE.invokeExact(state, LinuxCalls.CLOSE_ON_EXEC);
    } catch (Throwable e) {
      throw new AssertionError(e); // a downcall throws nothing
    }
    if (number < 0) {
      throw new IOException("epoll_create1 failed: error " + NativeCalls.error(state));
    }
  }

  /// The file descriptor of the set: readable while something in the set is ready.
  int number() {
    return number;
  }

  // add, change and remove return 0, or the system's error number
  int add(int fd, int mask, long id) {
    return control(ADD, fd, mask, id);
  }

  int change(int fd, int mask, long id) {
    return control(CHANGE, fd, mask, id);
  }

  int remove(int fd) {
    return control(REMOVE, fd, 0, 0);
  }

  private int control(int what, int fd, int mask, long id) {
    event.set(ValueLayout.JAVA_INT, 0, mask);
    event.set(ValueLayout.JAVA_LONG_UNALIGNED, DATA, id);
    try {
      int result = (int) Call.CONTROL.invokeExact(state, number, what, fd, event);
      return result == 0 ? 0 : NativeCalls.error(state);
    } catch (Throwable e) {
      throw new AssertionError(e); // a downcall throws nothing
    }
  }

  /// Polls the set.
  ///
  /// @param wait whether to wait until something is ready
  /// @return the number of events, whose [#id] and [#mask] can be read; 0: none, or interrupted
  int poll(boolean wait) {
    int count;
    try {
      count = (int) Call.WAIT.invokeExact(pollState, number, found, MAX_EVENTS, wait ? -1 : 0);
    } catch (Throwable e) {
      throw new AssertionError(e); // a downcall throws nothing
    }
    if (count < 0 && NativeCalls.error(pollState) != LinuxCalls.EINTR) {
      throw new IllegalStateException(
          "epoll_wait on descriptor " + number + " failed: error " + NativeCalls.error(pollState));
    }
    return Math.max(count, 0);
  }

  long id(int index) {
    return found.get(ValueLayout.JAVA_LONG_UNALIGNED, (long) EVENT * index + DATA);
  }

  int mask(int index) {
    return found.get(ValueLayout.JAVA_INT_UNALIGNED, (long) EVENT * index);
  }

  void close() {
    close(number);
  }

  // ---- a file descriptor that wakes the polling thread ----

  /// Opens a file descriptor that stays readable after [#signal].
  static int openSignal() throws IOException {
    int fd;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      fd = (int) Call.EVENTFD.invokeExact(state, 0, LinuxCalls.CLOSE_ON_EXEC);
      if (fd < 0) {
        throw new IOException("eventfd failed: error " + NativeCalls.error(state));
      }
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e); // a downcall throws nothing else
    }
    return fd;
  }

  static void signal(int fd) {
    try {
      int result = (int) Call.SIGNAL.invokeExact(fd, 1L);
      assert result == 0 : "eventfd_write on descriptor " + fd;
    } catch (Throwable e) {
      throw new AssertionError(e); // a downcall throws nothing
    }
  }

  static void close(int fd) {
    try {
      int result = (int) Call.CLOSE.invokeExact(fd);
      assert result == 0 : "close of descriptor " + fd;
    } catch (Throwable e) {
      throw new AssertionError(e); // a downcall throws nothing
    }
  }

  /// Linked when the first descriptor is watched.
  private static final class Call {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout POINTER = ValueLayout.ADDRESS;

    static final MethodHandle CREATE = NativeCalls.capturing("epoll_create1", INT, INT);
    static final MethodHandle CONTROL =
        NativeCalls.capturing("epoll_ctl", INT, INT, INT, INT, POINTER);
    static final MethodHandle WAIT =
        NativeCalls.capturing("epoll_wait", INT, INT, POINTER, INT, INT);
    static final MethodHandle EVENTFD = NativeCalls.capturing("eventfd", INT, INT, INT);
    static final MethodHandle SIGNAL =
        NativeCalls.link("eventfd_write", INT, INT, ValueLayout.JAVA_LONG);
    static final MethodHandle CLOSE = NativeCalls.link("close", INT, INT);

    private Call() {}
  }
}
