// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.CompositeException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import dev.heddle.event.Trigger;
import dev.heddle.event.source.EventSource;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Waits for several, all of them there when the wait begins.
@Timeout(300)
class AwaitTest {
  private final IllegalStateException failure = new IllegalStateException("x");

  /// Ends after so many turns of the others.
  private static Coroutine<String> after(Scope s, int turns, String result) {
    return s.spawn(
        result,
        () -> {
          for (int i = 0; i < turns; i++) {
            Heddle.yieldNow();
          }
          return result;
        });
  }

  private Coroutine<String> failing(Scope s, int turns) {
    return failing(s, turns, failure);
  }

  private static Coroutine<String> failing(Scope s, int turns, RuntimeException with) {
    return s.spawn(
        "failing",
        () -> {
          for (int i = 0; i < turns; i++) {
            Heddle.yieldNow();
          }
          throw with;
        });
  }

  private static <T> Future<T> done(T value) {
    Promise<T> promise = Heddle.promise();
    promise.complete(value);
    return promise.future();
  }

  private static Future<String> failed(Throwable with) {
    Promise<String> promise = Heddle.promise();
    promise.fail(with);
    return promise.future();
  }

  private static Coroutine<String> never(Scope s) {
    return s.spawn(
        "never",
        () -> {
          Heddle.delay(Duration.ofHours(1));
          return "never";
        });
  }

  /// Runs a block in which failures cancel nobody.
  private static void supervised(Story story) {
    VirtualTime.run(() -> {
      Heddle.supervise(s -> {
        story.run(s);
        return null;
      });
    });
  }

  private interface Story {
    void run(Scope s) throws Exception;
  }

  // ---- the first ----

  @Test
  @Tag("loop-54")
  void raceOrFail_isTheResultOfTheFirstToEnd() {
    supervised(s -> {
      var all = List.of(after(s, 3, "slow"), after(s, 1, "fast"), after(s, 2, "middling"));
      assertThat(Await.raceOrFail(all)).isEqualTo("fast");
      assertThat(all).filteredOn(Coroutine::isDone).hasSize(1);
    });
  }

  @Test
  @Tag("loop-56")
  void raceOrFail_whoseFirstFails_throwsThatAndCancelsNothing() {
    supervised(s -> {
      Coroutine<String> loser = after(s, 3, "loser");
      assertThatThrownBy(() -> Await.raceOrFail(List.of(loser, failing(s, 1)))).isSameAs(failure);
      assertThat(loser.isCancelled()).isFalse();
      assertThat(loser.await()).isEqualTo("loser");
    });
  }

  @Test
  void race_isTheOutcomeOfTheFirstToEndHoweverItEnds() {
    supervised(s -> {
      Outcomes<String, String> outcome =
          Await.<String, String>of(Map.of("bad", failing(s, 1), "slow", after(s, 3, "x"))).race();
      assertThat(outcome.failures()).containsExactly(Map.entry("bad", failure));
      assertThat(outcome.results()).isEmpty();
    });
  }

  @Test
  @Tag("loop-57")
  void any_afterFailures_isTheResultAndTheFailuresSoFar() {
    supervised(s -> {
      var all = List.of(failing(s, 1), after(s, 4, "late"), after(s, 2, "good"), failing(s, 3));
      Outcomes<Integer, String> outcome = Await.any(all);
      assertThat(outcome.first()).isEqualTo("good");
      assertThat(outcome.results()).containsExactly(Map.entry(2, "good"));
      assertThat(outcome.failures()).containsExactly(Map.entry(0, failure));
    });
  }

  @Test
  @Tag("loop-58")
  void any_whenAllFail_isAllFailuresAndThrowsNothing() {
    IllegalStateException second = new IllegalStateException("second");
    supervised(s -> {
      Outcomes<Integer, String> outcome = Await.any(List.of(failing(s, 2), failing(s, 1, second)));
      assertThat(outcome.results()).isEmpty();
      assertThat(outcome.failures()).containsExactly(Map.entry(0, failure), Map.entry(1, second));
      assertThatThrownBy(outcome::first)
          .isInstanceOfSatisfying(
              CompositeException.class,
              e -> assertThat(e.failures()).containsExactly(second, failure));
    });
  }

  // ---- all ----

  @Test
  @Tag("loop-60")
  void allSettled_ofMixedOutcomes_hasResultsAndFailuresByTheirKeys() {
    supervised(s -> {
      var several = new LinkedHashMap<String, Awaitable<String>>();
      several.put("c", after(s, 2, "3"));
      several.put("a", failing(s, 1));
      several.put("b", after(s, 1, "2"));
      Outcomes<String, String> outcomes = Await.<String, String>of(several).allSettled();
      assertThat(outcomes.results()).containsExactly(Map.entry("c", "3"), Map.entry("b", "2"));
      assertThat(outcomes.failures()).containsExactly(Map.entry("a", failure));
      assertThat(outcomes.resultsOrNull()).hasSize(3).containsEntry("a", null);
      assertThat(outcomes.resultsOrNull().keySet()).containsExactly("c", "a", "b");
    });
  }

  @Test
  @Tag("loop-61")
  void keys_standInTheOrderOfTheInputAndOfCompletion() {
    supervised(s -> {
      var several = new LinkedHashMap<String, Awaitable<String>>();
      several.put("slow", after(s, 3, "1"));
      several.put("fast", after(s, 1, "2"));
      several.put("middling", after(s, 2, "3"));
      for (Outcomes<String, String> outcomes :
          List.of(
              Await.<String, String>of(several).allSettled(),
              Await.<String, String>of(several).all(),
              Await.<String, String>of(several).anyOf(3))) {
        assertThat(outcomes.results().keySet()).containsExactly("slow", "fast", "middling");
        assertThat(outcomes.values()).containsExactly("1", "2", "3");
      }
    });
  }

  @Test
  @Tag("loop-61")
  void completionOrder_isThatOfTheEnds() {
    supervised(s ->
        assertThat(
                Await.of(after(s, 3, "1"), after(s, 1, "2"), after(s, 2, "3"))
                    .allSettled()
                    .completionOrder())
            .containsExactly(1, 2, 0));
  }

  @Test
  void all_isTheResultsInTheOrderOfTheInput() {
    supervised(s ->
        assertThat(Await.all(List.of(after(s, 2, "a"), after(s, 1, "b"))))
            .containsExactly("a", "b"));
  }

  @Test
  void all_whenOneFails_throwsThatAtOnce() {
    supervised(s -> {
      Coroutine<String> slow = never(s);
      assertThatThrownBy(() -> Await.all(List.of(slow, failing(s, 1)))).isSameAs(failure);
      slow.cancel("enough");
    });
  }

  @Test
  @Tag("loop-62")
  void anyOfOrFail_ofMoreThanThereAre_isAllResults() {
    supervised(s ->
        assertThat(Await.anyOfOrFail(5, List.of(after(s, 1, "a"), after(s, 2, "b"))).values())
            .containsExactly("a", "b"));
  }

  @Test
  void anyOf_countsSuccessesAndKeepsTheFailuresUntilThen() {
    supervised(s -> {
      Coroutine<String> slow = never(s);
      var outcomes =
          Await.anyOf(2, List.of(failing(s, 1), after(s, 3, "b"), slow, after(s, 2, "d")));
      slow.cancel("enough");
      assertThat(outcomes.completionOrder()).containsExactly(0, 3, 1);
      assertThat(outcomes.failures()).containsOnlyKeys(0);
      assertThat(outcomes.values()).containsExactly("b", "d");
    });
  }

  @Test
  void anyOfOrFail_whenOneFailsBefore_throwsThat() {
    supervised(s ->
        assertThatThrownBy(() ->
                Await.anyOfOrFail(2, List.of(after(s, 1, "a"), failing(s, 2), after(s, 3, "c"))))
            .isSameAs(failure));
  }

  @Test
  @Tag("loop-73")
  void counts_andNulls_areRefused() {
    supervised(s -> {
      Coroutine<String> one = after(s, 1, "a");
      assertThatThrownBy(() -> Await.anyOf(-1, List.of(one)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> Await.allSettled(Arrays.asList(one, null)))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("at 1");
      assertThat(EventSource.of(one).subscribers()).isZero();
    });
  }

  @Test
  void nothing_isAwaitedAtOnce() {
    Heddle.run(() -> {
      List<Coroutine<String>> none = List.of();
      assertThat(Await.allSettled(none).results()).isEmpty();
      assertThat(Await.all(none)).isEmpty();
      assertThat(Await.race(none).completionOrder()).isEmpty();
      assertThat(Await.anyOf(0, List.of(Heddle.spawn(() -> 1))).results()).isEmpty();
      assertThatThrownBy(() -> Await.raceOrFail(none)).isInstanceOf(NoSuchElementException.class);
    });
  }

  @Test
  @Tag("loop-64")
  void theSameOneTwice_getsItsValueInBothPlaces() {
    supervised(s -> {
      Coroutine<String> a = after(s, 1, "a");
      Coroutine<String> b = after(s, 2, "b");
      assertThat(Await.allSettled(List.of(a, b, a, b)).values())
          .containsExactly("a", "b", "a", "b");
    });
  }

  @Test
  @Tag("loop-20")
  void allSettled_whenSomeAreCancelled_hasTheOthersAndLeavesNothingBehind() {
    Heddle.run(() -> {
      long before = Heddle.counters().coroutines();
      Heddle.supervise(s -> {
        List<Coroutine<String>> five = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
          five.add(after(s, i, "r" + i));
        }
        five.get(1).cancel("not needed");
        five.get(3).cancel("not needed");
        Outcomes<Integer, String> outcomes = Await.allSettled(five);
        assertThat(outcomes.results()).containsOnlyKeys(0, 2, 4);
        assertThat(outcomes.failures().values()).hasOnlyElementsOfType(Cancellation.class);
        return null;
      });
      assertThat(Heddle.counters().coroutines()).isEqualTo(before);
    });
  }

  // ---- what has ended already ----

  @Test
  @Tag("loop-66")
  void whatHasEndedAlready_isReportedWithoutASwitch() {
    supervised(s -> {
      Coroutine<String> ended = after(s, 0, "coroutine");
      Coroutine<String> failedOne = failing(s, 0);
      Heddle.yieldNow();
      long switches = Heddle.counters().switches();
      var all = List.of(ended, done("future"), failedOne, failed(failure));
      Outcomes<Integer, String> outcomes = Await.allSettled(all);
      assertThat(outcomes.values()).containsExactly("coroutine", "future");
      assertThat(outcomes.failures()).containsOnlyKeys(2, 3);
      assertThat(Await.race(all).results()).containsOnlyKeys(0);
      assertThat(Heddle.counters().switches()).isEqualTo(switches);
    });
  }

  @Test
  @Tag("loop-66")
  void someThatHaveEndedAlready_doNotKeepTheOthersFromBeingAwaited() {
    supervised(s ->
        assertThat(Await.all(List.of(done("a"), after(s, 2, "b"), done("c"))))
            .containsExactly("a", "b", "c"));
  }

  @Test
  void failures_thatAnAwaitHasSeen_areTaken() {
    try (Reports reports = new Reports()) {
      supervised(s -> {
        Coroutine<String> early = failing(s, 0);
        Heddle.yieldNow();
        Await.allSettled(List.of(early, failing(s, 1), failed(failure)));
      });
      assertThat(reports.messages()).isEmpty();
    }
  }

  @Test
  void failures_ofLosers_areNotTaken() {
    try (Reports reports = new Reports()) {
      supervised(s -> {
        Await.raceOrFail(List.of(after(s, 1, "fast"), failing(s, 3)));
      });
      assertThat(reports.failures()).containsExactly(failure);
    }
  }

  @Test
  void trigger_pulledWhileItWasAwaitedTogether_isTaken() {
    Heddle.run(() -> {
      Trigger trigger = Heddle.trigger("t");
      trigger.fire();
      Heddle.yieldNow();
      Await.of(trigger).allSettled();
      assertThat(trigger.event().isClosed()).isFalse();
    });
  }

  // ---- waits that something ends ----

  @Test
  @Tag("loop-65")
  void allSettled_whoseTokenIsOneOfThem_endsWithIt() {
    supervised(s -> {
      Coroutine<String> a = after(s, 5, "a");
      Coroutine<String> b = after(s, 1, "b");
      assertThatThrownBy(() -> Await.of(a, b).until(b).allSettled())
          .isInstanceOf(WaitCancelledException.class);
      assertThat(EventSource.of(a).subscribers()).isZero();
      assertThat(a.await()).isEqualTo("a");
    });
  }

  @Test
  @Tag("loop-68")
  void all_whoseDeadlineRunsOut_throwsAndCancelsNothing() {
    supervised(s -> {
      Coroutine<String> slow = never(s);
      assertThatThrownBy(
              () -> Await.of(List.of(slow)).until(Deadline.after(Duration.ofMillis(1))).all())
          .isInstanceOf(DeadlineException.class);
      assertThat(slow.isCancelled()).isFalse();
      assertThat(EventSource.of(slow).subscribers()).isZero();
      slow.cancel("enough");
    });
  }

  @Test
  void failures_seenBeforeTheDeadline_areInTheReportOfItsException() {
    supervised(s -> {
      Coroutine<String> slow = never(s);
      Coroutine<String> bad = failing(s, 0);
      Throwable thrown =
          org.assertj.core.api.Assertions.catchThrowable(
              () -> Await.of(slow, bad).until(Deadline.after(Duration.ofMillis(2))).allSettled());
      assertThat(Heddle.reportOf(thrown).merged()).containsExactly(failure);
      slow.cancel("enough");
    });
  }

  @Test
  void allSettled_inACoroutineThatIsCancelled_leavesNoSubscriptionBehind() {
    supervised(s -> {
      Coroutine<String> a = after(s, 9, "a");
      Coroutine<String> b = after(s, 9, "b");
      Coroutine<Object> waiting = s.spawn(() -> Await.allSettled(List.of(a, b)));
      Heddle.yieldNow();
      assertThat(EventSource.of(a).subscribers()).isOne();
      waiting.cancel("enough");
      assertThatThrownBy(waiting::await).isInstanceOf(Cancellation.class);
      assertThat(EventSource.of(a).subscribers()).isZero();
      assertThat(EventSource.of(b).subscribers()).isZero();
    });
  }

  @Test
  void tenThousand_areAwaitedInLinearWork() {
    supervised(s -> {
      List<Coroutine<Integer>> many = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        int result = i;
        many.add(
            s.spawn(() -> {
              Heddle.yieldNow();
              return result;
            }));
      }
      List<Integer> results = Await.all(many);
      assertThat(results).hasSize(10_000).isSorted();
      Coroutine<Integer> one = many.getFirst();
      assertThat(Await.allSettled(java.util.Collections.nCopies(10_000, one)).values())
          .hasSize(10_000);
      assertThat(Set.copyOf(many.stream().map(c -> EventSource.of(c).subscribers()).toList()))
          .containsExactly(0);
    });
  }
}
