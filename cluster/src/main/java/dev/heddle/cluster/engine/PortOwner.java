// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The process that listens at a port of this machine, for the message of a node that cannot.
///
/// Linux tells it in `/proc`: the tables of TCP sockets name the inode of a socket, and the
/// descriptors of a process name the inodes of its sockets. Only processes of the same user show
/// theirs. Elsewhere nothing is told without a native call or another program.
///
/// @param pid of the process
/// @param command the name of its program; empty when it is not told
record PortOwner(long pid, String command) {
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));
  private static final int LOCAL_ADDRESS = 1; // columns of the tables
  private static final int STATE = 3;
  private static final int INODE = 9;
  private static final String LISTEN = "0A";
  private static final String ANY_IPV4 = "0".repeat(8);
  private static final String ANY_IPV6 = "0".repeat(32);
  private static final int WORD = 4; // bytes; the tables have addresses as words of the processor

  /// Who listens at a port, at an address or at all of them.
  ///
  /// @return null when the system does not tell, or nobody listens there any more
  static @Nullable PortOwner of(InetAddress address, int port) {
    try {
      Set<String> sockets = sockets(address, port);
      return sockets.isEmpty() ? null : processWith(sockets);
    } catch (IOException | DirectoryIteratorException | SecurityException _) {
      return null; // safe: the caller says how to ask by hand
    }
  }

  private static Set<String> sockets(InetAddress address, int port) throws IOException {
    Set<String> wanted = new HashSet<>();
    for (String one : List.of(words(address.getAddress()), ANY_IPV4, ANY_IPV6)) {
      wanted.add("%s:%04X".formatted(one, port));
    }
    if (address instanceof Inet4Address) { // as a socket for both families has it
      byte[] mapped = new byte[16];
      mapped[10] = mapped[11] = (byte) 0xFF;
      System.arraycopy(address.getAddress(), 0, mapped, 12, WORD);
      wanted.add("%s:%04X".formatted(words(mapped), port));
    }
    Set<String> found = new HashSet<>();
    for (Path table : TABLES) {
      for (String line : Files.exists(table) ? Files.readAllLines(table) : List.<String>of()) {
        String[] columns = line.strip().split("\\s+");
        if (columns.length > INODE
            && columns[STATE].equals(LISTEN)
            && wanted.contains(columns[LOCAL_ADDRESS])) {
          found.add("socket:[" + columns[INODE] + "]");
        }
      }
    }
    return found;
  }

  private static String words(byte[] address) {
    boolean isReversed = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < address.length; i++) {
      int at = isReversed ? i / WORD * WORD + WORD - 1 - i % WORD : i;
      text.append(String.format(Locale.ROOT, "%02X", address[at]));
    }
    return text.toString();
  }

  private static @Nullable PortOwner processWith(Set<String> sockets) throws IOException {
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        if (hasOneOf(process, sockets)) {
          return new PortOwner(
              Long.parseLong(String.valueOf(process.getFileName())), command(process));
        }
      }
    }
    return null;
  }

  private static boolean hasOneOf(Path process, Set<String> sockets) {
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path each : descriptors) {
        if (sockets.contains(target(each))) {
          return true;
        }
      }
    } catch (IOException | DirectoryIteratorException _) {
      return false; // safe: it has ended, or is of another user
    }
    return false;
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException _) {
      return ""; // safe: it was closed meanwhile
    }
  }

  private static String command(Path process) {
    try {
      return Files.readString(process.resolve("comm")).strip();
    } catch (IOException _) {
      return ""; // safe: it has ended meanwhile
    }
  }

  /// As `process 4711 (postgres)`.
  @Override
  public String toString() {
    if (pid == ProcessHandle.current().pid()) {
      return "this process, " + pid;
    }
    return "process " + pid + (command.isEmpty() ? "" : " (" + command + ")");
  }
}
