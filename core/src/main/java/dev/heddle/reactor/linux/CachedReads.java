// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Reads from the page cache of Linux; such a read never waits for a device.
///
/// **Thread** the loop's: all calls share one piece of native memory.
public final class CachedReads {
  /// The read would have to wait; a later one may not.
  public static final int WOULD_BLOCK = -1;

  /// A file of this kind can never be read this way.
  public static final int UNSUPPORTED = -2;

  private final MemorySegment vector; // struct iovec: the address, the length
  private final MemorySegment state;

  private CachedReads() {
    Arena arena = Arena.ofAuto();
    vector = arena.allocate(ValueLayout.JAVA_LONG, 2);
    state = arena.allocate(NativeCalls.STATE);
  }

  /// Null where the system lacks the call, or native access is not enabled.
  public static @Nullable CachedReads open() {
    boolean isPossible =
        System.getProperty("os.name").startsWith("Linux")
            && CachedReads.class.getModule().isNativeAccessEnabled();
    return isPossible && Call.READ != null ? new CachedReads() : null;
  }

  /// Reads what is in the cache, up to the buffer's limit, and advances its position.
  ///
  /// @param into a direct buffer with space left
  /// @return the number of bytes; 0 at the end of the file; [#WOULD_BLOCK]; [#UNSUPPORTED]
  public int read(int fd, ByteBuffer into, long position) {
    vector.set(ValueLayout.JAVA_LONG, 0, MemorySegment.ofBuffer(into).address());
    vector.set(ValueLayout.JAVA_LONG, Long.BYTES, into.remaining());
    int count;
    try {
      count = Call.read(state, fd, vector, position);
    } finally {
      Reference.reachabilityFence(into);
    }
    if (count < 0) {
      int error = NativeCalls.error(state);
      return error == LinuxCalls.EAGAIN || error == LinuxCalls.EINTR ? WOULD_BLOCK : UNSUPPORTED;
    }
    into.position(into.position() + count);
    return count;
  }

  /// Linked at the first read, if the C library has the function.
  private static final class Call {
    static final @Nullable MethodHandle READ =
        NativeCalls.has("preadv2")
            ? NativeCalls.capturing(
                "preadv2",
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT)
            : null;

    private static final int NO_WAIT = 8; // RWF_NOWAIT

    private Call() {}

    static int read(MemorySegment state, int fd, MemorySegment vector, long position) {
      MethodHandle call = READ;
      if (call == null) {
        throw new IllegalStateException("the system has no preadv2; check that open() is not null");
      }
      try {
        return (int) (long) call.invokeExact(state, fd, vector, 1, position, NO_WAIT);
      } catch (Throwable e) {
        throw new AssertionError(e); // a downcall throws nothing
      }
    }
  }
}
