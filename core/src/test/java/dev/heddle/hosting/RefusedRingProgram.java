// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import dev.heddle.Heddle;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.reactor.Drivers;
import dev.heddle.reactor.driver.DriverProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/// Has the kernel refuse a call, as a container's seccomp profile does, then talks over TCP.
final class RefusedRingProgram {
  private static final int SET_NO_NEW_PRIVS = 38;
  private static final int SET_SECCOMP = 22;
  private static final int MODE_FILTER = 2;
  private static final short LOAD = 0x20; // BPF_LD | BPF_W | BPF_ABS
  private static final short EQUALS = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
  private static final short RETURN = 0x06; // BPF_RET | BPF_K
  private static final int ALLOW = 0x7fff0000;
  private static final int EPERM = 0x00050001; // SECCOMP_RET_ERRNO, and the number

  private RefusedRingProgram() {}

  /// Serves itself.
  ///
  /// @param args the number of a call
  public static void main(String[] args) throws Throwable {
    refuse(Integer.parseInt(args[0]));
    Heddle.run(() -> {
      try (Listener listener =
              Tcp.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
          StreamSocket client = Tcp.connect(listener.localAddress());
          StreamSocket server = listener.accept()) {
        server.write(StandardCharsets.US_ASCII.encode("served\n"));
        System.out.println(
            client.readLine()
                + " by "
                + CoroutineNode.current().scheduler().reactor().driver().name());
      }
    });
    for (DriverProvider driver : Drivers.offered()) {
      System.out.println(driver.name() + ": " + driver.problem());
    }
  }

  /// From now on, for this thread and those that it starts.
  @SuppressWarnings("restricted") // the signature is that of prctl's manual page
  private static void refuse(int call) throws Throwable {
    Linker linker = Linker.nativeLinker();
    ValueLayout.OfLong word = ValueLayout.JAVA_LONG;
    MethodHandle prctl =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("prctl"),
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, word, word, word, word),
            Linker.Option.firstVariadicArg(1));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment filter = arena.allocate(4 * 8, 8);
      put(filter, 0, LOAD, 0, 0); // the call's number
      put(filter, 1, EQUALS, 0x0100, call); // if not: over the next one
      put(filter, 2, RETURN, 0, EPERM);
      put(filter, 3, RETURN, 0, ALLOW);
      MemorySegment program = arena.allocate(16, 8);
      program.set(ValueLayout.JAVA_SHORT, 0, (short) 4);
      program.set(ValueLayout.JAVA_LONG, 8, filter.address());
      int free = (int) prctl.invokeExact(SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
      int set = (int) prctl.invokeExact(SET_SECCOMP, (long) MODE_FILTER, program.address(), 0L, 0L);
      if (free != 0 || set != 0) {
        System.out.println("no filters here");
        System.exit(3);
      }
    }
  }

  private static void put(MemorySegment filter, int at, short code, int jumps, int operand) {
    filter.set(ValueLayout.JAVA_SHORT, at * 8L, code);
    filter.set(ValueLayout.JAVA_SHORT, at * 8L + 2, (short) jumps);
    filter.set(ValueLayout.JAVA_INT, at * 8L + 4, operand);
  }
}
