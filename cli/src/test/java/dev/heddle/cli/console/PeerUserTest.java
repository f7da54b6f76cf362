// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("watch-5")
class PeerUserTest {
  private static final long STRANGER = 4_000_000;
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

  private static final String LOOPBACK =
      ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? "0100007F" : "7F000001";

  @TempDir private Path folder;

  /// To a process of another user this connection is one of another user; to one of its own not.
  @Test
  void connection_isOfTheUserWhoOpenedIt() throws Exception {
    OptionalLong self = PeerUser.self(Path.of("/proc/self"));
    assumeTrue(self.isPresent() && self.getAsLong() != 0, "root is no other user");
    assertThat(isAnother(new PeerUser(TABLES, self))).isFalse();
    assertThat(isAnother(new PeerUser(TABLES, OptionalLong.of(STRANGER)))).isTrue();
  }

  private static boolean isAnother(PeerUser users) throws Exception {
    InetAddress loopback = Inet4Address.ofLiteral("127.0.0.1");
    try (ServerSocket server = new ServerSocket(0, 1, loopback);
        Socket _ = new Socket(loopback, server.getLocalPort());
        Socket accepted = server.accept()) {
      return users.isAnother(accepted.getLocalSocketAddress(), accepted.getRemoteSocketAddress());
    }
  }

  private boolean isAnother(String client, String server, String user, long own) throws Exception {
    Path table = folder.resolve("tcp");
    Files.writeString(
        table,
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
            // the side of the server is of its own user
            + line(server, client, Long.toString(own))
            + line(client, server, user));
    return new PeerUser(List.of(table), OptionalLong.of(own)).isAnother(at(80), at(255));
  }

  private static String line(String local, String remote, String user) {
    return "   0: %s %s 01 00000000:00000000 00:00000000 00000000 %s 0 1\n"
        .formatted(local, remote, user);
  }

  private static SocketAddress at(int port) {
    return new java.net.InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port);
  }

  @Test
  void table_isReadByBothEnds_alsoWhereTheClientHasAnAddressOfIpv6() throws Exception {
    String client = LOOPBACK + ":00FF";
    String server = LOOPBACK + ":0050";
    String mapped = "0000000000000000FFFF0000";
    assertThat(isAnother(client, server, "1001", 1000)).isTrue();
    assertThat(isAnother(mapped + client, mapped + server, "1001", 1000)).isTrue();
    assertThat(isAnother(client, server, "1000", 1000)).isFalse();
    assertThat(isAnother(client, server, "0", 1000)).as("root").isFalse();
    assertThat(isAnother("0500000A:00FF", "0100000A:0050", "1001", 1000))
        .as("of another address")
        .isFalse();
  }

  /// Then the token decides.
  @Test
  void user_thatCannotBeTold_isNotRefused() throws Exception {
    SocketAddress here = at(80);
    SocketAddress there = at(255);
    List<Path> none = List.of(folder.resolve("missing"));
    assertThat(new PeerUser(none, OptionalLong.of(1000)).isAnother(here, there)).isFalse();
    assertThat(new PeerUser(TABLES, OptionalLong.empty()).isAnother(here, there)).isFalse();
    assertThat(PeerUser.self(folder)).isEmpty();
    assertThat(isAnother(LOOPBACK + ":00FF", LOOPBACK + ":0050", "nobody", 1000)).isFalse();
    assertThat(isAnother(LOOPBACK + ":00FF", LOOPBACK + ":0051", "1001", 1000)).isFalse();
  }
}
