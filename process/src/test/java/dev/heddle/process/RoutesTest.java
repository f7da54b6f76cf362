// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.relay.Receiver;
import dev.heddle.process.relay.Routes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Addresses of receivers that are no processes.
@Tag("P10")
class RoutesTest {
  private final Routes routes = new Routes("n1", "a", 1);
  private final Receiver receiver = _ -> SendResult.ACCEPTED;

  @Test
  @Tag("proc-131")
  @Tag("proc-132")
  void address_belongsToOneReceiver_untilItIsDetached() {
    Pid pid = routes.address(5);
    routes.attach(pid, receiver);
    assertThat(routes.attached(pid)).isSameAs(receiver);
    assertThatThrownBy(() -> routes.attach(pid, receiver)).hasMessageContaining("already attached");
    assertThat(routes.detach(pid)).isTrue();
    assertThat(routes.detach(pid)).isFalse();
    assertThat(routes.attached(pid)).isNull();
  }

  @Test
  @Tag("proc-131")
  void address_ofAnotherNodeHostOrLife_isNotAttached() {
    for (Pid other :
        new Pid[] {new Pid("n2", "a", 5, 1), new Pid("n1", "b", 5, 1), new Pid("n1", "a", 5, 2)}) {
      assertThatThrownBy(() -> routes.attach(other, receiver))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("only addresses of this runtime");
      assertThat(routes.detach(other)).isFalse();
    }
  }
}
