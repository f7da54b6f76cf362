// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Promise;
import dev.heddle.event.source.EventSource;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Who is late at the shutdown deadline, and who is not: where the loop was slow, or stood still,
/// its coroutines are not to blame. In virtual time, with the default deadline.
@Tag("T18")
@Timeout(300)
class LateTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final Duration STOPPED = Duration.ofSeconds(25); // more than deadline and grace

  private final List<String> log = new ArrayList<>();

  private void launchCleaningUp(Duration cleanUp) {
    Heddle.launch(
        "cleans up",
        () -> {
          try {
            Heddle.delay(HOUR);
          } finally {
            Heddle.delay(cleanUp);
            log.add("clean");
          }
        });
  }

  private static void standStillWhileTheLoopStops(Consumer<Duration> pause) {
    Heddle.yieldNow();
    Heddle.shutdown(DEADLINE);
    Heddle.shield(() -> Heddle.delay(Duration.ofSeconds(1)));
    pause.accept(STOPPED);
  }

  @Test
  void cleanUpThatIsDueWhenTheStoppedProcessGoesOn_isNotCut() {
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              VirtualTime.runWithPauses(pause -> {
                launchCleaningUp(Duration.ofMillis(1_500));
                standStillWhileTheLoopStops(pause);
                Heddle.delay(HOUR);
              }))
          .isInstanceOf(Cancellation.class);
      assertThat(reports.messages()).isEmpty();
    }
    assertThat(log).containsExactly("clean");
  }

  @Test
  void cleanUpThatStillWaitsAfterItsTurn_isCutAndNamed() {
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              VirtualTime.runWithPauses(pause -> {
                launchCleaningUp(HOUR);
                standStillWhileTheLoopStops(pause);
                Heddle.delay(HOUR);
              }))
          .isInstanceOf(Cancellation.class);
      assertThat(reports.messages())
          .singleElement()
          .asString()
          .startsWith("1 coroutine did not end by the shutdown deadline\n")
          .contains("'cleans up'");
    }
    assertThat(log).isEmpty();
  }

  @Test
  @Tag("T19")
  void deadlockedCoroutines_whoseTurnsTakeLongerThanTheDeadline_areNotLate() {
    int many = 100;
    int[] cleanedUp = new int[1];
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              VirtualTime.runWithPauses(pause -> {
                Promise<String> never = Heddle.promise("never");
                for (int i = 0; i < many; i++) {
                  Heddle.launch(
                      "waits",
                      () -> {
                        try {
                          never.future().await();
                        } finally {
                          pause.accept(Duration.ofSeconds(1)); // a slow machine
                          cleanedUp[0]++;
                        }
                      });
                }
              }))
          .isInstanceOf(DeadlockError.class);
      assertThat(reports.messages()).noneMatch(m -> m.contains("did not end"));
    }
    assertThat(cleanedUp[0]).isEqualTo(many);
  }

  /// An event that takes its time to say what it is.
  private static final class Slow extends EventSource {
    private final Consumer<Duration> pause;

    Slow(Consumer<Duration> pause) {
      super(CoroutineNode.current().scheduler());
      this.pause = pause;
    }

    @Override
    public String info() {
      pause.accept(STOPPED);
      return "something slow";
    }
  }

  @Test
  @Tag("T19")
  void deadline_countsFromAfterTheReportOfTheDeadlock() {
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              VirtualTime.runWithPauses(pause -> {
                try {
                  Heddle.await(new Slow(pause));
                } finally {
                  Heddle.delay(Duration.ofSeconds(9));
                  log.add("clean");
                }
              }))
          .isInstanceOf(DeadlockError.class);
      assertThat(reports.messages()).noneMatch(m -> m.contains("did not end"));
    }
    assertThat(log).containsExactly("clean");
  }

  @Test
  void coroutinesThatYieldForEver_holdTheEndUpForOneRound() {
    int[] turns = new int[2];
    try (Reports reports = new Reports()) {
      VirtualTime.runWithPauses(pause -> {
        launchYielding(turns, 0, pause).setHighPriority();
        launchYielding(turns, 1, pause);
        Heddle.yieldNow();
        Heddle.shutdown(DEADLINE);
      });
      assertThat(reports.messages())
          .anyMatch(m -> m.startsWith("2 coroutines did not end by the shutdown deadline"));
    }
    // a second each turn: the deadline, the grace period, and two rounds, in which 64 of high
    // priority go before a normal one
    assertThat(turns[0]).isBetween(1, 600);
    assertThat(turns[1]).isPositive();
  }

  private static Coroutine<?> launchYielding(int[] turns, int mine, Consumer<Duration> pause) {
    return Heddle.spawn(
        "yields",
        () ->
            Heddle.shield(() -> {
              while (true) {
                turns[mine]++;
                pause.accept(Duration.ofSeconds(1));
                try {
                  Heddle.yieldNow();
                } catch (Cancellation swallowed) {
                  // for ever
                }
              }
            }));
  }

  @Test
  void moreThanAThousandLateOnes_areCountedAndTheFirstShownWithTheirStacks() {
    try (Reports reports = new Reports()) {
      VirtualTime.runWithPauses(_ -> {
        for (int i = 0; i < 1_500; i++) {
          Heddle.launch("late", () -> Heddle.shield(() -> Heddle.delay(HOUR)));
        }
        Heddle.yieldNow();
        Heddle.shutdown(DEADLINE);
      });
      assertThat(reports.messages())
          .singleElement()
          .asString()
          .startsWith("1,500 coroutines did not end by the shutdown deadline\n")
          .contains(": 1,000 coroutines, 1,000 waiting")
          .contains(" at " + LateTest.class.getName())
          .endsWith("and 500 more, which this report only counts\n");
    }
  }
}
