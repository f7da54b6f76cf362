// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.Heddle;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What systemd does for a unit with sockets, as a JVM: it opens them as descriptors 3, 4 and 5,
/// and becomes another JVM (`execve`), which adopts them. Linux, 64 bits.
final class SocketActivation {
  private static final int AF_UNIX = 1;
  private static final int AF_INET = 2;
  private static final int STREAM = 1;
  private static final int DATAGRAM = 2;
  private static final int FIRST = 3;
  private static final int HIGH = 200; // numbers that are out of the way
  private static final int ADDRESS = 110; // bytes of a sockaddr_un

  private SocketActivation() {}

  /// Starts the parent.
  static Process start(Path path, String driver) throws IOException {
    List<String> command = new ArrayList<>(java());
    command.add(SocketActivation.class.getName());
    command.add("parent");
    command.add(path.toString());
    command.add(driver == null ? "auto" : driver);
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static List<String> java() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "--enable-native-access=ALL-UNNAMED",
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "--add-opens=java.base/jdk.internal.vm=ALL-UNNAMED",
        "-cp",
        System.getProperty("java.class.path"));
  }

  public static void main(String[] arguments) throws Throwable {
    if (arguments[0].equals("parent")) {
      becomeChild(arguments[1], arguments[2]);
    } else {
      serve(arguments[1]);
    }
  }

  // ---- the parent ----

  private static void becomeChild(String path, String driver) throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment inet = arena.allocate(16); // a struct sockaddr_in: any port of loopback
      inet.set(ValueLayout.JAVA_SHORT, 0, (short) AF_INET);
      inet.set(ValueLayout.JAVA_BYTE, 4, (byte) 127);
      inet.set(ValueLayout.JAVA_BYTE, 7, (byte) 1);
      int[] sockets = {
        bound(AF_INET, STREAM, inet),
        bound(AF_UNIX, STREAM, name(arena, path)),
        bound(AF_UNIX, DATAGRAM, name(arena, path + ".log"))
      };
      listen(sockets[0]);
      listen(sockets[1]);
      // first out of the way, for the JVM has the low numbers itself: from here to exec it opens
      // nothing, and looks at no file
      List<String> command = new ArrayList<>(java());
      command.add(1, "-Dheddle.driver=" + driver);
      command.add(SocketActivation.class.getName());
      command.add("child");
      command.add(path);
      MemorySegment program = arena.allocateFrom(command.getFirst());
      MemorySegment argv = strings(arena, command);
      MemorySegment envp =
          strings(
              arena,
              List.of(
                  "LISTEN_FDS=3",
                  "LISTEN_PID=" + ProcessHandle.current().pid(),
                  "LISTEN_FDNAMES=web:admin:log"));
      MethodHandle dup2 = call("dup2", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
      MethodHandle execve =
          call("execve", ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS);
      for (int i = 0; i < sockets.length; i++) {
        done((int) dup2.invokeExact(sockets[i], HIGH + i), "dup2");
      }
      for (int i = 0; i < sockets.length; i++) {
        done((int) dup2.invokeExact(HIGH + i, FIRST + i), "dup2");
      }
      done((int) execve.invokeExact(program, argv, envp), "execve");
    }
  }

  private static int bound(int family, int type, MemorySegment address) throws Throwable {
    MethodHandle socket =
        call("socket", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
    MethodHandle bind =
        call("bind", ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
    int fd = done((int) socket.invokeExact(family, type, 0), "socket");
    done((int) bind.invokeExact(fd, address, (int) address.byteSize()), "bind");
    return fd;
  }

  private static void listen(int fd) throws Throwable {
    MethodHandle listen = call("listen", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
    done((int) listen.invokeExact(fd, 16), "listen");
  }

  private static MemorySegment name(Arena arena, String path) {
    MemorySegment address = arena.allocate(ADDRESS);
    address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
    address.setString(Short.BYTES, path);
    return address;
  }

  private static MemorySegment strings(Arena arena, List<String> all) {
    MemorySegment array = arena.allocate(ValueLayout.ADDRESS, all.size() + 1L);
    for (int i = 0; i < all.size(); i++) {
      array.setAtIndex(ValueLayout.ADDRESS, i, arena.allocateFrom(all.get(i)));
    }
    return array;
  }

  private static int done(int result, String call) {
    if (result < 0) {
      throw new AssertionError(call + " has failed");
    }
    return result;
  }

  @SuppressWarnings("restricted") // the signatures are those of the manual pages
  private static MethodHandle call(String name, MemoryLayout... parameters) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, parameters));
  }

  // ---- the child ----

  private static void serve(String path) {
    Heddle.run(() -> {
      Map<String, List<Listener>> all = Adopt.inheritedListeners();
      say("names " + all.keySet());
      try {
        Adopt.listener(5);
      } catch (IOException e) {
        say("left: " + e.getMessage());
      }
      Listener web = all.get("web").getFirst();
      Listener admin = all.get("admin").getFirst();
      try (Server one = Server.start(web, ServerOptions.defaults(), c -> c.transferTo(c));
          Server other = Server.start(admin, ServerOptions.defaults(), c -> c.transferTo(c))) {
        say("web answers " + asked(Tcp.connect(one.address()), "tcp"));
        SocketAddress named = other.address();
        say("admin answers " + asked(Unix.connect(named), "unix"));
      }
      try {
        Adopt.inheritedListeners();
      } catch (IllegalStateException e) {
        say("again: " + e.getMessage());
      }
    });
    new File(path).delete();
    new File(path + ".log").delete();
  }

  private static String asked(StreamSocket socket, String what) throws IOException {
    try (socket) {
      socket.write(ByteBuffer.wrap((what + "\n").getBytes(StandardCharsets.UTF_8)));
      return socket.readLine();
    }
  }

  private static void say(String what) {
    System.out.println("> " + what);
  }
}
