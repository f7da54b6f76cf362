// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Event;
import dev.heddle.event.EventStream;
import dev.heddle.event.source.EventSource;
import dev.heddle.io.conformance.Aspect;
import dev.heddle.io.conformance.Proves;
import dev.heddle.io.conformance.Shows;
import dev.heddle.simulation.Simulation;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Timers as something to wait for, in virtual time: once, periodic, hidden.
@Tag("T13.2")
@Timeout(300)
@Proves("timers")
class TimerKindTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Simulation world = new Simulation(1);

  private void inWorld(Action body) {
    world.run(() -> {
      body.run();
      return null;
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void oneShot_firesAtItsTime_andIsThereForWhoComesLater() {
    inWorld(() -> {
      Event timer = Heddle.timer(SECOND);
      Coroutine<Object> other = Heddle.spawn(() -> Heddle.await(timer));
      Heddle.await(timer);
      assertThat(world.elapsed()).isEqualTo(SECOND);
      other.await();
      Heddle.delay(SECOND);
      Heddle.await(timer);
      assertThat(world.elapsed()).isEqualTo(SECOND.multipliedBy(2));
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void periodic_firesOnceInEachPeriod_andTellsALateReaderHowManyThereWere() {
    inWorld(() -> {
      try (EventStream<Long> ticks = Heddle.ticks(SECOND)) {
        assertThat(ticks.next()).isEqualTo(1);
        assertThat(ticks.next()).isEqualTo(2);
        Heddle.delay(Duration.ofMillis(3_500));
        assertThat(ticks.next()).isEqualTo(5);
        assertThat(world.elapsed()).isEqualTo(Duration.ofMillis(5_500));
        assertThat(ticks.next()).isEqualTo(6);
        assertThat(world.elapsed()).isEqualTo(SECOND.multipliedBy(6));
      }
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  void daemon_firesBesideOthers_andDoesNotKeepTheLoopAlive() {
    inWorld(() -> {
      Event soon = Heddle.daemonTimer(SECOND);
      Event never = Heddle.daemonTimer(Duration.ofHours(1));
      EventSource.of(soon).start();
      EventSource.of(never).start();
      Heddle.delay(SECOND.multipliedBy(2));
      assertThat(soon.isClosed()).isTrue();
      assertThat(never.isClosed()).isFalse();
    });
    assertThat(world.elapsed()).isEqualTo(SECOND.multipliedBy(2));
  }

  @Test
  @Shows(Aspect.CANCEL)
  void wait_thatIsCancelled_leavesNoTimer() {
    inWorld(() -> {
      Coroutine<Object> waiter = Heddle.spawn(() -> Heddle.await(Heddle.timer(SECOND)));
      Heddle.delay(Duration.ofMillis(1));
      assertThat(Heddle.dump().text()).contains("a timer, due in");
      waiter.cancel("enough");
      assertThatThrownBy(waiter::await).isInstanceOf(Cancellation.class);
      assertThat(Heddle.counters().timers()).isZero();
    });
    assertThat(world.elapsed()).isEqualTo(Duration.ofMillis(1));
  }
}
