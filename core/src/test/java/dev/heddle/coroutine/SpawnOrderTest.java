// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.simulation.Simulation;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Who runs when, and what needs a loop.
@Timeout(300)
class SpawnOrderTest {
  private final List<String> log = new ArrayList<>();

  @Test
  @Tag("loop-1")
  void spawn_byMain_runsNoBodyBeforeMainEnds() {
    Heddle.run(() -> {
      Heddle.launch("a", () -> log.add("a"));
      Heddle.launch("b", () -> log.add("b"));
      log.add("main ends");
    });
    assertThat(log).containsExactly("main ends", "a", "b");
  }

  @Test
  @Tag("loop-2")
  void suspend_inA_letsAllOfBRun() {
    Heddle.run(() -> {
      Heddle.launch(
          "a",
          () -> {
            log.add("a-start");
            Heddle.yieldNow();
            log.add("a-rest");
          });
      Heddle.launch("b", () -> log.add("b"));
    });
    assertThat(log).containsExactly("a-start", "b", "a-rest");
  }

  @Test
  @Tag("loop-4")
  void suspend_ofTheOnlyCoroutine_returnsAtOnce() {
    assertThat(
            Heddle.run(() -> {
              long switches = Heddle.counters().switches();
              Heddle.yieldNow();
              return Heddle.counters().switches() - switches;
            }))
        .isZero();
  }

  @Test
  @Tag("loop-5")
  void suspend_ofAParent_goesOnBeforeItsChildIsBack() {
    Heddle.run(() -> {
      Heddle.launch(
          "parent",
          () -> {
            log.add("parent");
            Heddle.launch(
                "child",
                () -> {
                  log.add("child");
                  Heddle.yieldNow();
                  log.add("child-resume");
                });
            Heddle.yieldNow();
            log.add("parent-resume");
          });
      Heddle.launch("sibling", () -> log.add("sibling"));
    });
    assertThat(log).containsExactly("parent", "sibling", "child", "parent-resume", "child-resume");
  }

  private int descend(int depth) {
    if (depth == 0) {
      Heddle.yieldNow();
      return 0;
    }
    return descend(depth - 1) + 1;
  }

  @Test
  @Tag("loop-6")
  void suspend_deepInPlainCalls_keepsTheWholeStack() {
    Heddle.run(() -> {
      var deep = Heddle.spawn(() -> descend(200));
      var shallow = Heddle.spawn(() -> descend(2));
      assertThat(deep.await()).isEqualTo(200);
      assertThat(shallow.await()).isEqualTo(2);
    });
  }

  @Test
  @Tag("loop-8")
  void exception_thrownAfterASuspend_isCaughtWhereItWouldBeWithoutIt() {
    Heddle.run(() -> {
      Heddle.launch("other", () -> log.add("other"));
      try {
        Heddle.yieldNow();
        throw new IllegalStateException("x");
      } catch (IllegalStateException e) {
        log.add("caught " + e.getMessage());
      }
    });
    assertThat(log).containsExactly("other", "caught x");
  }

  @Test
  @Tag("loop-9")
  void thousandCoroutines_withAndWithoutDelay_allFinish() {
    int[] finished = new int[1];
    Heddle.run(() -> {
      for (int i = 0; i < 1_000; i++) {
        Heddle.launch("plain", () -> finished[0]++);
        Heddle.launch(
            "delayed",
            () -> {
              Heddle.delay(Duration.ofMillis(1));
              finished[0]++;
            });
      }
    });
    assertThat(finished[0]).isEqualTo(2_000);
  }

  @Test
  @Tag("loop-20")
  void liveCount_afterMembersEndedAndWereCancelled_returnsToItsBaseline() {
    Heddle.run(() -> {
      int baseline = Heddle.counters().coroutines();
      List<Coroutine<Integer>> five = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        int number = i;
        five.add(
            Heddle.spawn(() -> {
              Heddle.yieldNow();
              return number;
            }));
      }
      assertThat(Heddle.counters().coroutines()).isEqualTo(baseline + 5);
      five.get(1).cancel("no");
      Heddle.yieldNow();
      five.get(3).cancel("no");
      Heddle.yieldNow();
      Heddle.yieldNow();
      assertThat(Heddle.counters().coroutines()).isEqualTo(baseline);
      assertThat(five.stream().map(Coroutine::result)).containsExactly(0, null, 2, null, 4);
    });
  }

  @Test
  @Tag("loop-22")
  void counters_insideACoroutine_countIt() {
    Heddle.run(() -> assertThat(Heddle.counters().coroutines()).isPositive());
  }

  @Test
  @Tag("loop-4")
  @Tag("loop-21")
  @Tag("loop-22")
  void everyCall_outsideALoop_failsNamingHeddleRun() {
    Awaitable<Object> never =
        () -> {
          throw new AssertionError("not asked for");
        };
    List<Action> calls =
        List.of(
            Heddle::current,
            Heddle::yieldNow,
            () -> Heddle.delay(Duration.ofMillis(1)),
            () -> Heddle.spawn(() -> 1),
            () -> Heddle.launch("a", () -> {}),
            () -> Heddle.background("a", () -> {}),
            () -> Heddle.scope(s -> 1),
            () -> Heddle.supervise(s -> 1),
            () -> Heddle.withTimeout(Duration.ofMillis(1), () -> 1),
            () -> Heddle.shield(() -> 1),
            () -> Heddle.offload(() -> 1),
            () -> Heddle.await(never),
            () -> Heddle.await(CompletableFuture.completedFuture(1)),
            Heddle::checkCancelled,
            Heddle::counters,
            () -> Heddle.shutdown(Duration.ZERO),
            () -> Heddle.exit(1),
            () -> Heddle.timer(Duration.ZERO),
            Scope::open);
    for (Action call : calls) {
      assertThatThrownBy(call::run)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("Heddle.run");
    }
  }

  /// There runs what drivers are given by others: Netty's handlers.
  @Test
  @Tag("loop-22")
  @Tag("T14.6")
  void wait_betweenCoroutines_saysToSpawnOne() {
    Heddle.run(() -> {
      Throwable[] refusal = new Throwable[1];
      CoroutineNode.current()
          .scheduler()
          .runOnCarrier(
              () -> refusal[0] = catchThrowable(() -> Heddle.await(Heddle.timer(Duration.ZERO))));
      Heddle.yieldNow();
      assertThat(refusal[0])
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("between coroutines")
          .hasMessageContaining("spawn a coroutine");
    });
  }

  @Test
  @Tag("loop-100")
  void delay_ofNothing_onlyRequeues() {
    Heddle.run(() -> {
      Heddle.launch(
          "a",
          () -> {
            log.add("a");
            Heddle.delay(Duration.ZERO);
            log.add("a again");
          });
      Heddle.launch(
          "b",
          () -> {
            log.add("b");
            assertThat(Heddle.counters().timers()).isZero();
            Heddle.delay(Duration.ofSeconds(-1));
            log.add("b again");
          });
    });
    assertThat(log).containsExactly("a", "b", "a again", "b again");
  }

  @Test
  @Tag("loop-101")
  void delays_ofDifferentLength_wakeByDeadlineBehindThePlainTask() {
    Simulation world = new Simulation(1);
    world.run(() -> {
      for (int millis : new int[] {60, 30, 15}) {
        Heddle.launch(
            "sleeper",
            () -> {
              Heddle.delay(Duration.ofMillis(millis));
              log.add("after " + millis);
            });
      }
      return Heddle.spawn("plain", () -> log.add("plain"));
    });
    assertThat(log).containsExactly("plain", "after 15", "after 30", "after 60");
    assertThat(world.elapsed()).isEqualTo(Duration.ofMillis(60));
  }

  @Test
  @Tag("loop-102")
  @Tag("trap-14")
  void delay_afterABurnOfTheProcessor_isCountedFromAFreshClock() {
    Heddle.run(() -> {
      Heddle.background("other timer", () -> Heddle.delay(Duration.ofHours(1)));
      Heddle.yieldNow();
      long until = System.nanoTime() + 40_000_000;
      while (System.nanoTime() < until) {
        Thread.onSpinWait();
      }
      long began = System.nanoTime();
      Heddle.delay(Duration.ofMillis(20));
      assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(20_000_000L);
    });
  }

  @Test
  @Tag("trap-15")
  void delays_ofEqualLength_wakeInTheOrderOfStart() {
    VirtualTime.run(() -> {
      var deadline = dev.heddle.event.Deadline.after(Duration.ofMillis(5));
      Coroutine<Object> never =
          Heddle.spawn(() -> {
            Heddle.delay(Duration.ofHours(1));
            return "never";
          });
      for (int i = 0; i < 20; i++) {
        String name = "c" + i;
        Heddle.launch(
            name,
            () -> {
              try {
                never.await(deadline);
              } catch (dev.heddle.DeadlineException e) {
                log.add(name);
              }
            });
      }
      Heddle.delay(Duration.ofMillis(10));
      never.cancel("done");
    });
    assertThat(log).hasSize(20);
    for (int i = 0; i < 20; i++) {
      assertThat(log.get(i)).isEqualTo("c" + i);
    }
  }

  @Test
  @Tag("T7")
  void highPriority_ofACoroutine_goesBeforeThoseQueuedEarlier() {
    Heddle.run(() -> {
      Heddle.launch("a", () -> log.add("a"));
      Heddle.launch("b", () -> log.add("b"));
      var high =
          Heddle.spawn(() -> {
            Heddle.yieldNow();
            log.add("high");
            return 1;
          });
      high.setHighPriority();
      Heddle.yieldNow();
      Heddle.launch("c", () -> log.add("c"));
    });
    assertThat(log).containsExactly("a", "b", "high", "c");
  }
}
