// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.ports.TestPorts;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Who has a port. That of another process is in `ClusterJvmsTest`.
@EnabledOnOs(OS.LINUX) // elsewhere nothing is told
class PortOwnerTest {
  private static PortOwner of(String listens, String asked) throws Exception {
    try (var socket = new ServerSocket(0, 1, InetAddress.getByName(listens))) {
      return PortOwner.of(InetAddress.getByName(asked), socket.getLocalPort());
    }
  }

  @Test
  void portWhereThisProcessListens_isOfThisProcess() throws Exception {
    long self = ProcessHandle.current().pid();
    for (String listens : new String[] {"127.0.0.1", "0.0.0.0"}) { // the second of both families
      assertThat(of(listens, "127.0.0.1"))
          .isNotNull()
          .hasToString("this process, " + self)
          .extracting(PortOwner::pid)
          .isEqualTo(self);
    }
  }

  @Test
  void portWhereNobodyListens_orOnlyAtAnotherAddress_isOfNobody() throws Exception {
    assertThat(PortOwner.of(InetAddress.getLoopbackAddress(), TestPorts.next())).isNull();
    assertThat(of("127.0.0.2", "127.0.0.1")).isNull();
  }

  @Test
  void otherProcess_isShownWithItsName_ifThatIsTold() {
    assertThat(new PortOwner(0, "postgres")).hasToString("process 0 (postgres)");
    assertThat(new PortOwner(0, "")).hasToString("process 0");
  }
}
