// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Ref;
import dev.heddle.process.SendResult;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a stream asks of its runtime for a subscription.
class SubscriptionTest {
  private static final Pid PID = new Pid("", "h", 1, 1);

  private final List<Consumer<Exit>> listeners = new ArrayList<>();
  private Runnable beforeListening = () -> {};

  private final EventStream events =
      new EventStream(
          new EventStream.Delivery() {
            @Override
            public SendResult offer(Pid to, Object event) {
              return SendResult.ACCEPTED;
            }

            @Override
            public SendResult offer(String name, Object event) {
              return SendResult.ACCEPTED;
            }

            @Override
            public void onExit(Pid process, Consumer<Exit> listener) {
              beforeListening.run();
              listeners.add(listener);
            }

            @Override
            public void offExit(Pid process, Consumer<Exit> listener) {
              listeners.remove(listener);
            }

            @Override
            public void requireOurs(Ref<?> to) {}
          });

  @Test
  @Tag("proc-336")
  void subscription_thatIsEndedWhileItIsMade_leavesNoListenerOfItsProcess() {
    beforeListening = () -> assertThat(events.unsubscribe(String.class, PID)).isTrue();
    assertThat(events.subscribe(String.class, PID)).isTrue();
    assertThat(listeners).isEmpty();
    assertThat(events.wants(String.class)).isFalse();
  }

  @Test
  @Tag("proc-336")
  void subscription_keepsOneListener_untilItIsEnded() {
    assertThat(events.subscribe(String.class, PID)).isTrue();
    assertThat(events.subscribe(String.class, PID)).isFalse();
    assertThat(listeners).hasSize(1);
    assertThat(events.unsubscribe(String.class, PID)).isTrue();
    assertThat(listeners).isEmpty();
  }
}
