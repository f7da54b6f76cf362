// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.linux.LinuxCalls;
import dev.heddle.reactor.linux.NativeCalls;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// An anonymous pipe with close-on-exec, which Netty's pipes lack.
///
/// @param source the end to read from
/// @param sink the end to write to
record NativePipe(FileDescriptor source, FileDescriptor sink) {
  static NativePipe open() throws IOException {
    if (!PlatformConstants.LINUX) {
      // children of the JDK close other descriptors; other systems have no pipe2
      FileDescriptor[] ends = FileDescriptor.pipe();
      return new NativePipe(ends[0], ends[1]);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ends = arena.allocate(ValueLayout.JAVA_INT, 2);
      MemorySegment state = arena.allocate(NativeCalls.STATE);
      int flags = LinuxCalls.NON_BLOCKING | LinuxCalls.CLOSE_ON_EXEC;
      if ((int) Call.PIPE2.invokeExact(state, ends, flags) < 0) {
        throw Failures.of("pipe2", -NativeCalls.error(state));
      }
      return new NativePipe(
          new FileDescriptor(ends.getAtIndex(ValueLayout.JAVA_INT, 0)),
          new FileDescriptor(ends.getAtIndex(ValueLayout.JAVA_INT, 1)));
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  /// Linked when the first pipe is opened.
  private static final class Call {
    static final MethodHandle PIPE2 =
        NativeCalls.capturing(
            "pipe2", ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
  }
}
