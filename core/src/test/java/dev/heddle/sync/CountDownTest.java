// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.hosting.StackEnd;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class CountDownTest {
  private final List<Object> log = new ArrayList<>();

  @Test
  void await_returnsWhenTheCountIsZero_andThenAtOnce() {
    Heddle.run(() -> {
      CountDown countDown = new CountDown(2);
      for (int i = 0; i < 3; i++) {
        int number = i;
        Heddle.launch(
            "awaiter " + i,
            () -> {
              countDown.await();
              log.add(number);
            });
      }
      Heddle.yieldNow();
      countDown.countDown();
      Heddle.yieldNow();
      assertThat(log).isEmpty();
      assertThat(countDown.count()).isEqualTo(1);
      assertThat(countDown.isDone()).isFalse();
      countDown.countDown();
      Heddle.yieldNow();
      assertThat(log).containsExactly(0, 1, 2);
      long before = Heddle.counters().switches();
      countDown.await();
      assertThat(Heddle.counters().switches()).isEqualTo(before);
    });
  }

  @Test
  void countDown_atZero_doesNothing() {
    Heddle.run(() -> {
      CountDown countDown = new CountDown(1);
      countDown.countDown();
      countDown.countDown();
      assertThat(countDown.count()).isZero();
      assertThat(countDown.isDone()).isTrue();
      new CountDown(0).await();
    });
  }

  @Test
  void countDown_isAnAwaitable_forSelectsAndTokens() {
    Heddle.run(() -> {
      CountDown countDown = new CountDown(1);
      Heddle.launch("last", countDown::countDown);
      assertThatThrownBy(() -> new Semaphore(0).acquire(countDown))
          .isInstanceOf(WaitCancelledException.class);
      String chosen = Select.<String>create().onAwait(countDown, _ -> "zero").await();
      assertThat(chosen).isEqualTo("zero");
    });
  }

  @Test
  void boundedWaits_leaveTheCountAsItIs() {
    VirtualTime.run(() -> {
      CountDown countDown = new CountDown(1);
      Deadline soon = Deadline.after(Duration.ofMillis(1));
      assertThatThrownBy(() -> countDown.await(soon)).isInstanceOf(DeadlineException.class);
      Promise<String> token = new Promise<>();
      Heddle.launch("token", () -> token.complete("enough"));
      assertThatThrownBy(() -> countDown.await(token.future()))
          .isInstanceOf(WaitCancelledException.class);
      Coroutine<?> cancelled = Heddle.spawn("waiter", () -> countDown.await());
      Heddle.yieldNow();
      cancelled.cancel("leave");
      assertThatThrownBy(cancelled::await).isInstanceOf(Cancellation.class);
      assertThat(countDown).hasToString("a count-down with 1 to go, 0 waiting");
      countDown.countDown();
      countDown.await(soon); // it bounds only waits
      countDown.await(token.future());
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  void misuse_isRefused() {
    Heddle.run(() -> {
      assertThatThrownBy(() -> new CountDown(-1)).isInstanceOf(IllegalArgumentException.class);
      CountDown countDown = new CountDown("warm-up", 1);
      Loop<?> other =
          Loop.start(() -> {
            assertThatThrownBy(countDown::countDown).hasMessageContaining("'warm-up' belongs to");
            assertThatThrownBy(() -> countDown.await())
                .hasMessageContaining("'warm-up' belongs to");
            return 1;
          });
      assertThat(other.join()).isEqualTo(1);
      assertThat(countDown.count()).isEqualTo(1);
    });
  }

  @Test
  void waitWithoutEnd_isADeadlockWhoseReportNamesTheCount() {
    assertThatThrownBy(() -> Heddle.run(() -> new CountDown("warm-up", 3).await()))
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("zero of the count-down 'warm-up' with 3 to go, 1 waiting");
  }

  @Test
  @Tag("trap-23")
  void countDown_whereTheStackEnds_wakesTheWaiters() {
    Heddle.run(() -> {
      CountDown countDown = new CountDown(1);
      Coroutine<?> waiter = Heddle.spawn("waiter", () -> countDown.await());
      Heddle.yieldNow();
      assertThat(StackEnd.runAt(countDown::countDown)).isTrue();
      waiter.await();
    });
  }
}
