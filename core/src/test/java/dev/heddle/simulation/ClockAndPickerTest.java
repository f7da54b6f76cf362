// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// All time of a loop goes by its clock, and all choice by its picker.
@Timeout(300)
class ClockAndPickerTest {
  private static final Duration DAY = Duration.ofDays(1);

  private final Simulation simulation = new Simulation(1);

  // ---- the clock ----

  @Test
  @Tag("T15")
  void delay_ofADay_isOverAtOnceAndTookADay() {
    simulation.run(() -> {
      Heddle.delay(DAY);
      return null;
    });
    assertThat(simulation.elapsed()).isEqualTo(DAY);
  }

  @Test
  void clock_whileACoroutineIsReady_standsStill() {
    simulation.run(() -> {
      Heddle.background("far", () -> Heddle.delay(DAY));
      for (int i = 0; i < 1_000; i++) {
        Heddle.yieldNow();
      }
      return null;
    });
    assertThat(simulation.elapsed()).isZero();
  }

  @Test
  @Tag("loop-101")
  void delays_wakeInTheOrderOfTheirDeadlinesAtExactlyThese() {
    List<String> woken = new ArrayList<>();
    simulation.run(() -> {
      for (int millis : new int[] {1_000, 500, 300}) {
        Heddle.spawn(() -> {
          Heddle.delay(Duration.ofMillis(millis));
          return woken.add(millis + " at " + simulation.elapsed().toMillis());
        });
      }
      return null;
    });
    assertThat(woken).containsExactly("300 at 300", "500 at 500", "1000 at 1000");
  }

  @Test
  void deadline_madeInACoroutine_goesByTheClockOfItsLoop() {
    List<Duration> left = new ArrayList<>();
    simulation.run(() -> {
      Deadline deadline = Deadline.after(DAY);
      left.add(deadline.remaining());
      Heddle.delay(Duration.ofHours(23));
      left.add(deadline.remaining());
      Trigger never = Heddle.trigger("never");
      assertThatThrownBy(() -> Heddle.await(never, deadline)).isInstanceOf(DeadlineException.class);
      left.add(deadline.remaining());
      return null;
    });
    assertThat(left).containsExactly(DAY, Duration.ofHours(1), Duration.ZERO);
    assertThat(simulation.elapsed()).isEqualTo(DAY);
  }

  @Test
  void within_ofADay_cutsItsBodyAfterADay() {
    simulation.run(() -> {
      assertThatThrownBy(() -> Heddle.withTimeout(DAY, () -> Heddle.delay(DAY.multipliedBy(2))))
          .isInstanceOf(DeadlineException.class);
      return null;
    });
    assertThat(simulation.elapsed()).isEqualTo(DAY);
  }

  @Test
  void timerEvent_goesByTheClock_alsoInWhatItSays() {
    simulation.run(() -> {
      var timer = Heddle.timer(Duration.ofMinutes(1));
      assertThat(timer.info()).endsWith("due in 60 s");
      Heddle.await(timer);
      return null;
    });
    assertThat(simulation.elapsed()).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void periodicTimer_goesByTheClock() {
    simulation.run(() -> {
      try (var days = Heddle.ticks(DAY)) {
        assertThat(days.next()).isEqualTo(1);
        Heddle.delay(DAY.plusHours(1));
        assertThat(days.next()).isEqualTo(2);
        assertThat(days.next()).isEqualTo(3);
      }
      return null;
    });
    assertThat(simulation.elapsed()).isEqualTo(DAY.multipliedBy(3));
  }

  @Test
  void gracePeriod_goesByTheClock() {
    HeddleOptions options = HeddleOptions.defaults().withGracePeriod(DAY);
    List<Duration> thrown = new ArrayList<>();
    simulation.run(
        options,
        () -> {
          Coroutine<?> stubborn =
              Heddle.spawn(() -> {
                while (thrown.size() < 2) {
                  try {
                    Heddle.delay(DAY.multipliedBy(3));
                  } catch (Cancellation _) {
                    thrown.add(simulation.elapsed());
                  }
                }
                return null;
              });
          Heddle.delay(DAY);
          stubborn.cancel("enough");
          return null;
        });
    assertThat(thrown).containsExactly(DAY, DAY.multipliedBy(2));
  }

  @Test
  @Tag("T18")
  void shutdownDeadline_goesByTheClock() {
    assertThatThrownBy(() ->
            simulation.run(() -> {
              Heddle.shutdown(DAY);
              // past the deadline nothing protects
              Heddle.shield(() -> Heddle.delay(DAY.multipliedBy(9)));
              return null;
            }))
        .isInstanceOf(Cancellation.class);
    assertThat(simulation.elapsed()).isEqualTo(DAY);
  }

  @Test
  @Tag("T18")
  @Tag("trap-60")
  @Tag("once")
  void coroutines_whoseStacksAreTakenAtTheShutdownDeadline_areNotLeftBehind() {
    try (Dumper dumper = new Dumper()) {
      for (int i = 0; i < 60; i++) {
        Simulation simulation = new Simulation(i);
        simulation.run(() -> {
          for (int j = 0; j < 50; j++) {
            Heddle.launch(
                "protected",
                () -> {
                  dumper.show(Thread.currentThread());
                  Heddle.shield(() -> Heddle.delay(Duration.ofDays(1)));
                });
          }
          Heddle.yieldNow();
          Heddle.shutdown(Duration.ofSeconds(1));
          return null;
        });
        assertThat(simulation.loop().tree().counters().coroutines()).isZero();
      }
    }
  }

  @Test
  @Tag("trap-60")
  @Tag("once")
  void coroutines_cancelledWhileTheirFirstResumeIsHeldUpByADump_neverBegin() {
    try (Dumper dumper = new Dumper()) {
      simulation.run(() -> {
        for (int i = 0; i < 2_000; i++) {
          Coroutine<?> late =
              Heddle.spawn(() -> {
                dumper.show(Thread.currentThread());
                return "ran";
              });
          Heddle.yieldNow();
          late.cancel("perhaps before it began");
          assertThat(Step.outcomeOf(late::await))
              .satisfiesAnyOf(
                  thrown -> assertThat(thrown).isNull(),
                  thrown -> assertThat(thrown).isInstanceOf(Cancellation.class));
        }
        return null;
      });
    }
  }

  @Test
  @Tag("T19")
  void deadlock_isFoundAsEver() {
    Simulation locked = simulation;
    assertThatThrownBy(() ->
            locked.run(() -> {
              Heddle.await(Heddle.promise().future());
              return null;
            }))
        .isInstanceOf(DeadlockError.class);
  }

  @Test
  void sleepWithoutADeadline_waitsForOtherThreads() {
    simulation.run(() -> {
      Trigger trigger = Heddle.trigger("pulled elsewhere");
      Thread other = new Thread(trigger::fire);
      other.start();
      Heddle.await(trigger);
      other.join();
      return null;
    });
    assertThat(simulation.elapsed()).isZero();
  }

  // ---- the picker ----

  private static List<Integer> orderOf(Simulation simulation) {
    List<Integer> order = new ArrayList<>();
    simulation.run(() -> {
      for (int i = 0; i < 4; i++) {
        int number = i;
        Heddle.spawn(() -> {
          Heddle.yieldNow();
          return order.add(number);
        });
      }
      return null;
    });
    return order;
  }

  @Test
  @Tag("once")
  void seeds_together_makeEveryOrder() {
    Set<List<Integer>> orders = new HashSet<>();
    for (long seed = 0; seed < 1_000; seed++) {
      orders.add(orderOf(new Simulation(seed)));
    }
    assertThat(orders).hasSize(24);
  }

  @Test
  void seed_repeated_makesTheSameOrderAndFingerprint() {
    for (long seed = 0; seed < 50; seed++) {
      Simulation first = new Simulation(seed);
      Simulation second = new Simulation(seed);
      assertThat(orderOf(first)).isEqualTo(orderOf(second));
      assertThat(first.fingerprint()).isEqualTo(second.fingerprint());
    }
  }

  @Test
  void simulation_runTwice_isRefused() {
    orderOf(simulation);
    assertThatThrownBy(() -> orderOf(simulation)).hasMessage("a simulation runs once");
  }
}
