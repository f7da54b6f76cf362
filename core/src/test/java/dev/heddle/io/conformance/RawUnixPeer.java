// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A client of a UNIX socket that the JDK cannot be: it sends descriptors along. Linux, 64 bits.
///
/// **Thread** any but a loop's: its calls may block.
public final class RawUnixPeer implements AutoCloseable {
  private static final int AF_UNIX = 1;
  private static final int SOCK_STREAM = 1;
  private static final int SOL_SOCKET = 1;
  private static final int SCM_RIGHTS = 1;
  private static final int ADDRESS = 110; // bytes of a sockaddr_un
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle SOCKET =
      call("socket", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
  private static final MethodHandle CONNECT =
      call("connect", ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
  private static final MethodHandle SENDMSG =
      call("sendmsg", ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
  private static final MethodHandle CLOSE = call("close", ValueLayout.JAVA_INT);

  private final int fd;

  private RawUnixPeer(int fd) {
    this.fd = fd;
  }

  /// One that is connected to nobody.
  static RawUnixPeer unconnected() throws Throwable {
    return new RawUnixPeer(done((int) SOCKET.invokeExact(AF_UNIX, SOCK_STREAM, 0), "socket"));
  }

  /// One that is connected; with no path: to nobody.
  public static RawUnixPeer to(@Nullable Path path) {
    try {
      return path == null ? unconnected() : connect(path);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /// Its descriptor.
  public int number() {
    return fd;
  }

  static RawUnixPeer connect(Path path) throws Throwable {
    RawUnixPeer peer = unconnected();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(ADDRESS);
      address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
      address.setString(Short.BYTES, path.toString());
      done((int) CONNECT.invokeExact(peer.fd, address, ADDRESS), "connect");
    }
    return peer;
  }

  /// Sends a text.
  ///
  /// @param withDescriptor whether a descriptor goes with it: its own
  void send(String text, boolean withDescriptor) throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(text, StandardCharsets.US_ASCII);
      MemorySegment vector = arena.allocate(ValueLayout.JAVA_LONG, 2);
      vector.setAtIndex(ValueLayout.JAVA_LONG, 0, bytes.address());
      vector.setAtIndex(ValueLayout.JAVA_LONG, 1, text.length());
      MemorySegment message = arena.allocate(ValueLayout.JAVA_LONG, 7); // a struct msghdr
      message.setAtIndex(ValueLayout.JAVA_LONG, 2, vector.address());
      message.setAtIndex(ValueLayout.JAVA_LONG, 3, 1);
      if (withDescriptor) {
        MemorySegment along = arena.allocate(24, Long.BYTES); // a struct cmsghdr, and an int
        along.set(ValueLayout.JAVA_LONG, 0, 20);
        along.set(ValueLayout.JAVA_INT, 8, SOL_SOCKET);
        along.set(ValueLayout.JAVA_INT, 12, SCM_RIGHTS);
        along.set(ValueLayout.JAVA_INT, 16, fd);
        message.setAtIndex(ValueLayout.JAVA_LONG, 4, along.address());
        message.setAtIndex(ValueLayout.JAVA_LONG, 5, along.byteSize());
      }
      done((int) SENDMSG.invokeExact(fd, message, 0), "sendmsg");
    }
  }

  @Override
  public void close() {
    try {
      done((int) CLOSE.invokeExact(fd), "close");
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private static int done(int result, String call) {
    if (result < 0) {
      throw new AssertionError(call + " has failed");
    }
    return result;
  }

  @SuppressWarnings("restricted") // the signatures are those of the manual pages
  private static MethodHandle call(String name, MemoryLayout... parameters) {
    return LINKER.downcallHandle(
        LINKER.defaultLookup().findOrThrow(name),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, parameters));
  }
}
