// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Sockets of the JDK that a run has opened and not closed fail it.
@Tag("agent")
@Tag("sim-5")
@Timeout(300)
class AgentLeakTest {
  private static void assertLeak(String what, Action main) {
    assertThatThrownBy(() -> Simulation.run(main))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining(
            "not closed: " + what + " of the JDK, opened at dev.heddle.test.Agent");
  }

  @Test
  void serverSocket_isALeak() {
    assertLeak("a server socket", () -> new ServerSocket(0));
  }

  @Test
  void datagramChannel_isALeak() {
    assertLeak("a datagram socket", () -> DatagramChannel.open());
  }

  @Test
  void pipe_isALeak() {
    assertLeak("an end of a pipe", () -> Pipe.open());
  }

  @Test
  void acceptedConnection_isALeak_andTheClosedOneIsNot() {
    assertThatThrownBy(() ->
            Simulation.run(() -> {
              try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                  Socket client = new Socket(server.getInetAddress(), server.getLocalPort())) {
                assertThat(server.accept().isConnected()).isTrue();
                assertThat(client.isConnected()).isTrue();
              }
            }))
        .isInstanceOf(SimulationError.class)
        .satisfies(e ->
            assertThat(e.getMessage().lines().filter(line -> line.contains("not closed")))
                .hasSize(1));
  }
}
