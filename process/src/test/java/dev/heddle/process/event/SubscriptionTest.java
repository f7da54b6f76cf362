// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Ref;
import dev.heddle.process.SendResult;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a stream asks of its runtime for a subscription.
@Timeout(300)
class SubscriptionTest {
  private static final Pid PID = new Pid("", "h", 1, 1);
  private static final Pid OTHER = new Pid("", "h", 2, 1);
  private static final int ROUNDS = 500_000;

  private final Queue<Consumer<Exit>> listeners = new ConcurrentLinkedQueue<>();
  private Runnable beforeListening = () -> {};

  private final EventBus events =
      new EventBus(
          new EventBus.Delivery() {
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
            public void checkRuntime(Ref<?> to) {}
          });

  @Test
  @Tag("proc-336")
  void subscription_thatIsEndedWhileItIsMade_leavesNoListenerOfItsProcess() {
    beforeListening = () -> assertThat(events.unsubscribe(String.class, PID)).isTrue();
    assertThat(events.subscribe(String.class, PID)).isTrue();
    assertThat(listeners).isEmpty();
    assertThat(events.hasSubscribers(String.class)).isFalse();
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

  /// Each has the class for itself at times, so its table entry comes and goes.
  private void subscribesAndEndsThat(Pid process, AtomicInteger unwanted) {
    for (int i = 0; i < ROUNDS; i++) {
      events.subscribe(String.class, process);
      if (!events.hasSubscribers(String.class) || events.publish("event") == 0) {
        unwanted.incrementAndGet();
      }
      events.unsubscribe(String.class, process);
    }
  }

  @Test
  @Tag("proc-334")
  void subscription_madeWhileTheLastOneOfItsClassEnds_isWantedAtOnce() throws Exception {
    AtomicInteger unwanted = new AtomicInteger();
    Thread other = Thread.ofPlatform().start(() -> subscribesAndEndsThat(OTHER, unwanted));
    subscribesAndEndsThat(PID, unwanted);
    other.join();
    assertThat(unwanted).hasValue(0);
    assertThat(events.hasSubscribers(String.class)).isFalse();
  }
}
