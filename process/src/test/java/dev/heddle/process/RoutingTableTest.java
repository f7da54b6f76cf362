// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.routing.Receiver;
import dev.heddle.process.routing.RoutingTable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Addresses of receivers that are no processes.
@Tag("P10")
class RoutingTableTest {
  private final RoutingTable routingTable = new RoutingTable("n1", "a", 1);
  private final Receiver receiver = _ -> SendResult.ACCEPTED;

  @Test
  @Tag("proc-131")
  @Tag("proc-132")
  void address_belongsToOneReceiver_untilItIsDetached() {
    Pid pid = routingTable.address(5);
    routingTable.attach(pid, receiver);
    assertThat(routingTable.attached(pid)).isSameAs(receiver);
    assertThatThrownBy(() -> routingTable.attach(pid, receiver))
        .hasMessageContaining("already attached");
    assertThat(routingTable.detach(pid)).isTrue();
    assertThat(routingTable.detach(pid)).isFalse();
    assertThat(routingTable.attached(pid)).isNull();
  }

  @Test
  @Tag("proc-131")
  void address_ofAnotherNodeHostOrLife_isNotAttached() {
    for (Pid other :
        new Pid[] {new Pid("n2", "a", 5, 1), new Pid("n1", "b", 5, 1), new Pid("n1", "a", 5, 2)}) {
      assertThatThrownBy(() -> routingTable.attach(other, receiver))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("only addresses of this runtime");
      assertThat(routingTable.detach(other)).isFalse();
    }
  }
}
