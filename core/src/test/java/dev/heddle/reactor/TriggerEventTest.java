// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.EventStream;
import dev.heddle.event.Trigger;
import dev.heddle.io.conformance.Aspect;
import dev.heddle.io.conformance.Proves;
import dev.heddle.io.conformance.Shows;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Triggers, pulled by other threads.
@Tag("T13.9")
@Timeout(300)
@Proves("triggers")
class TriggerEventTest {
  private static final int THREADS = 4;
  private static final int PULLS = 10_000;

  private static void inLoop(Action body) {
    Heddle.run(body);
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void pull_ofAnotherThread_wakesEveryWaiter() {
    inLoop(() -> {
      Trigger trigger = Heddle.trigger("t");
      Coroutine<Object> one = Heddle.spawn(() -> Heddle.await(trigger));
      Coroutine<Object> other = Heddle.spawn(() -> Heddle.await(trigger));
      Heddle.yieldNow();
      Thread.ofPlatform().start(trigger::fire);
      one.await();
      other.await();
    });
  }

  @Test
  @Shows(Aspect.CANCEL)
  void wait_thatIsCancelled_leavesTheOthers() {
    inLoop(() -> {
      Trigger trigger = Heddle.trigger("t");
      Coroutine<Object> one = Heddle.spawn(() -> Heddle.await(trigger));
      Coroutine<Object> other = Heddle.spawn(() -> Heddle.await(trigger));
      Heddle.yieldNow();
      one.cancel("enough");
      assertThatThrownBy(one::await).isInstanceOf(Cancellation.class);
      assertThat(other.isDone()).isFalse();
      Thread.ofPlatform().start(trigger::fire);
      other.await();
    });
  }

  @Test
  void pulls_thatTheLoopHasNotSeen_areOne() {
    inLoop(() -> {
      Trigger trigger = Heddle.trigger("t");
      try (EventStream<Object> pulls = EventStream.of(trigger, 8)) {
        // the loop is held until all have pulled
        for (Thread thread : pullers(trigger)) {
          while (thread.isAlive()) {
            Thread.onSpinWait();
          }
        }
        pulls.next();
        assertThat(pulls.ready().event().isClosed()).isFalse();
        assertThat(pulls.lost()).isZero();
      }
    });
  }

  private static List<Thread> pullers(Trigger trigger) {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int n = 0; n < PULLS; n++) {
                  trigger.fire();
                }
              }));
    }
    return threads;
  }

  /// Whoever changes something and pulls is seen by who waits, looks, and waits again.
  @Test
  @Shows(Aspect.INTEGRITY)
  void lastPull_ofManyThreads_isNotLost() {
    AtomicInteger made = new AtomicInteger();
    inLoop(() -> {
      Trigger trigger = Heddle.trigger("t");
      for (int i = 0; i < THREADS; i++) {
        Thread.ofPlatform()
            .start(() -> {
              for (int n = 0; n < PULLS; n++) {
                made.incrementAndGet();
                trigger.fire();
              }
            });
      }
      while (made.get() < THREADS * PULLS) {
        Heddle.await(trigger);
      }
    });
    assertThat(made).hasValue(THREADS * PULLS);
  }

  @Test
  void pull_isTakenByOneWait_andTheNextWaitsForAnother() {
    inLoop(() -> {
      Trigger trigger = Heddle.trigger("t");
      for (int i = 0; i < 3; i++) {
        trigger.fire();
        Heddle.await(trigger);
        Coroutine<?> next = Heddle.spawn(() -> Heddle.await(trigger));
        Heddle.yieldNow();
        assertThat(next.isSuspended()).isTrue();
        trigger.fire();
        next.await();
      }
    });
  }

  @Test
  void pull_afterTheLoopHasEnded_saysSo() {
    Trigger[] trigger = new Trigger[1];
    inLoop(() -> {
      trigger[0] = Heddle.trigger("t");
      assertThat(trigger[0].fire()).isTrue();
    });
    assertThat(trigger[0].fire()).isFalse();
  }
}
