// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/// The user who has opened a connection to this machine's own address, where the system tells:
/// Linux lists each socket with its user in `/proc/net/tcp`.
///
/// A connection whose user is not known, on another system or because the other side has closed it
/// already, is left to the token. So is one of root, who may do all that this user may.
final class PeerUser {
  private static final long ROOT = 0;
  private static final int LOCAL = 1; // fields of a line
  private static final int REMOTE = 2;
  private static final int USER = 7;
  private static final String MAPPED = "0000000000000000FFFF0000"; // an IPv4 address in an IPv6 one
  private static final String LOOPBACK =
      ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? "0100007F" : "7F000001";

  private final List<Path> tables;
  private final OptionalLong own;

  /// @param tables files like `/proc/net/tcp`
  /// @param own the user of this process
  PeerUser(List<Path> tables, OptionalLong own) {
    this.tables = tables;
    this.own = own;
  }

  static PeerUser ofSystem() {
    return new PeerUser(
        List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6")), self(Path.of("/proc/self")));
  }

  /// The user as whom a process acts.
  static OptionalLong self(Path process) {
    try {
      return Files.readString(process.resolve("status"), StandardCharsets.ISO_8859_1)
          .lines()
          .filter(line -> line.startsWith("Uid:"))
          .mapToLong(line -> Long.parseLong(line.split("\\s+")[2]))
          .findFirst();
    } catch (IOException | NumberFormatException _) {
      return OptionalLong.empty();
    }
  }

  /// Whether another user of this machine has opened a connection. Reads files, and may wait.
  ///
  /// @param here its address at this process
  /// @param there its address at the other side
  boolean isAnother(SocketAddress here, SocketAddress there) {
    if (own.isEmpty()
        || !(here instanceof InetSocketAddress to)
        || !(there instanceof InetSocketAddress from)) {
      return false;
    }
    OptionalLong user = user(from.getPort(), to.getPort());
    return user.isPresent() && user.getAsLong() != ROOT && user.getAsLong() != own.getAsLong();
  }

  private OptionalLong user(int from, int to) {
    String local = LOOPBACK + ":%04X".formatted(from);
    String remote = LOOPBACK + ":%04X".formatted(to);
    for (Path table : tables) {
      try (Stream<String> lines = Files.lines(table, StandardCharsets.ISO_8859_1)) {
        OptionalLong user =
            lines
                .filter(line -> line.contains(local)) // most lines need not be cut
                .map(line -> line.strip().split("\\s+"))
                .filter(
                    it -> it.length > USER && isAt(it[LOCAL], local) && isAt(it[REMOTE], remote))
                .filter(it -> it[USER].matches("\\d{1,10}")) // else it is no table of sockets
                .mapToLong(it -> Long.parseLong(it[USER]))
                .findFirst();
        if (user.isPresent()) {
          return user;
        }
      } catch (IOException | UncheckedIOException _) {
        // safe: this system has no such table
      }
    }
    return OptionalLong.empty();
  }

  private static boolean isAt(String field, String address) {
    return field.equals(address) || field.equals(MAPPED + address);
  }
}
