// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import io.netty.channel.unix.FileDescriptor;
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

/// An anonymous pipe with close-on-exec, which Netty's pipes lack.
///
/// @param source the end to read from
/// @param sink the end to write to
record NativePipe(FileDescriptor source, FileDescriptor sink) {
  private static final int NONBLOCK = 0x800; // O_NONBLOCK of Linux
  private static final int CLOEXEC = 0x80000; // O_CLOEXEC of Linux

  static NativePipe open() throws IOException {
    return PlatformConstants.LINUX ? ofLinux() : ofOthers();
  }

  private static NativePipe ofOthers() throws IOException {
    // children of the JDK close other descriptors; other systems have no pipe2
    FileDescriptor[] ends = FileDescriptor.pipe();
    return new NativePipe(ends[0], ends[1]);
  }

  private static NativePipe ofLinux() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ends = arena.allocate(ValueLayout.JAVA_INT, 2);
      MemorySegment state = arena.allocate(Call.STATE);
      int result = (int) Call.PIPE2.invokeExact(state, ends, NONBLOCK | CLOEXEC);
      if (result < 0) {
        throw Failures.of("pipe2", -(int) Call.ERRNO.get(state, 0L));
      }
      return new NativePipe(
          new FileDescriptor(ends.getAtIndex(ValueLayout.JAVA_INT, 0)),
          new FileDescriptor(ends.getAtIndex(ValueLayout.JAVA_INT, 1)));
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a system call does not throw", e);
    }
  }

  /// `pipe2`, linked when the first pipe is opened.
  private static final class Call {
    static final StructLayout STATE = Linker.Option.captureStateLayout();
    static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    static final MethodHandle PIPE2 = link();

    @SuppressWarnings("restricted") // signature from pipe2's manual page
    private static MethodHandle link() {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(
          linker.defaultLookup().findOrThrow("pipe2"),
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
          Linker.Option.captureCallState("errno"));
    }
  }
}
