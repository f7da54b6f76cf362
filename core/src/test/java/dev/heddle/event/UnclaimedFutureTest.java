// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Reports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What becomes of outcomes that nobody takes.
@Timeout(300)
@Tag("trap-18")
class UnclaimedFutureTest {
  private final IllegalStateException failure = new IllegalStateException("x");

  private List<String> reportsOf(Action main) {
    try (Reports reports = new Reports()) {
      Heddle.run(main);
      return reports.messages();
    }
  }

  private Future<String> failed() {
    Promise<String> promise = Heddle.promise("job");
    promise.fail(failure);
    return promise.future();
  }

  @Test
  @Tag("loop-154")
  void failure_thatWasNotObserved_isReportedOnceAtTheEndWithBothSites() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        failed();
      });
      assertThat(reports.failures()).containsExactly(failure);
      assertThat(reports.messages().getFirst())
          .contains("'job'")
          .contains("created at " + UnclaimedFutureTest.class.getName())
          .contains("completed at " + UnclaimedFutureTest.class.getName());
    }
  }

  @Test
  @Tag("loop-154")
  void failure_ofAFutureThatIsGarbage_isReportedWhileTheLoopRuns() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        failed();
        while (reports.messages().isEmpty()) {
          System.gc();
          Heddle.delay(Duration.ofMillis(1));
        }
      });
      assertThat(reports.failures()).containsExactly(failure);
    }
  }

  @Test
  @Tag("loop-154")
  void failure_thatWasAwaitedIgnoredOrRecoveredFrom_isNotReported() {
    List<String> reports =
        reportsOf(() -> {
          assertThatThrownBy(failed()::await).isSameAs(failure);
          failed().ignore();
          assertThat(failed().recover(_ -> "fine").await()).isEqualTo("fine");
          assertThat(failed().toCompletableFuture().handle((_, failed) -> failed).get())
              .isSameAs(failure);
          Promise<Object> later = Heddle.promise();
          Heddle.launch("fails", () -> later.fail(failure));
          assertThatThrownBy(later.future()::await).isSameAs(failure);
        });
    assertThat(reports).isEmpty();
  }

  @Test
  @Tag("loop-154")
  void failure_ignoredBeforehand_isNotReported() {
    List<String> reports =
        reportsOf(() -> {
          Promise<Object> promise = Heddle.promise();
          promise.future().ignore();
          promise.fail(failure);
        });
    assertThat(reports).isEmpty();
  }

  @Test
  @Tag("loop-154")
  void failure_afterOnCompletionAlone_isReported() {
    List<String> reports = reportsOf(() -> failed().onCompletion(() -> {}));
    assertThat(reports).hasSize(1);
  }

  @Test
  @Tag("loop-154")
  void failure_handedOnToSeveralFutures_isReportedOnce() {
    List<String> reports =
        reportsOf(() -> {
          Future<String> source = failed();
          source.map(s -> s).map(s -> s);
          source.map(s -> s).onCompletion(() -> {});
        });
    assertThat(reports).hasSize(1);
  }

  @Test
  @Tag("loop-154")
  void failure_takenFromADerivedFuture_isTakenFromItsSource() {
    List<String> reports =
        reportsOf(() -> {
          Future<String> source = failed();
          Future<String> mapped = source.map(s -> s);
          assertThatThrownBy(mapped::await).isSameAs(failure);
        });
    assertThat(reports).isEmpty();
  }

  @Test
  @Tag("loop-154")
  void failure_whoseOnlyAwaiterHadGivenUp_isReported() {
    List<String> reports =
        reportsOf(() -> {
          Promise<Object> promise = Heddle.promise();
          assertThatThrownBy(() -> promise.future().await(Deadline.after(Duration.ofNanos(1))));
          promise.fail(failure);
        });
    assertThat(reports).hasSize(1);
  }

  @Test
  void cancellation_thatWasNotObserved_isNotReported() {
    List<String> reports =
        reportsOf(() -> {
          Promise<Object> promise = Heddle.promise();
          promise.fail(new Cancellation("enough"));
        });
    assertThat(reports).isEmpty();
  }

  @Test
  void failure_afterAReadersCancellation_isReported() {
    List<String> reports =
        reportsOf(() -> {
          Promise<Object> promise = Heddle.promise("job");
          promise.future().cancel("enough");
          promise.fail(failure);
        });
    assertThat(reports).hasSize(1);
    assertThat(reports.getFirst()).contains("'job'");
  }

  private void exportFailing() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise("job");
      var _ = promise.future().toCompletableFuture();
      promise.fail(failure);
    });
  }

  @Test
  void failureOfACompletableFuture_thatIsGarbageAndWasNotObserved_isReportedOnce() {
    try (Reports reports = new Reports()) {
      exportFailing();
      while (reports.messages().isEmpty()) {
        System.gc();
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(reports.failures()).containsExactly(failure);
      assertThat(reports.messages().getFirst())
          .contains("unobserved failure of the CompletableFuture of the future 'job'");
    }
  }

  private CompletableFuture<String> exported(Action meanwhile) {
    return Heddle.run(() -> {
      Promise<String> promise = Heddle.promise("job");
      var exported = promise.future().toCompletableFuture();
      meanwhile.run();
      promise.fail(failure);
      return exported;
    });
  }

  /// Looks at failures of exported futures, drops them, and returns what was reported by the time
  /// in which the failure of another one was that nobody had looked at.
  private List<Throwable> reportsAfter(Consumer<CompletableFuture<String>> look) {
    IllegalStateException unseen = new IllegalStateException("unseen");
    try (Reports reports = new Reports()) {
      look.accept(exported(() -> {}));
      Heddle.run(() -> {
        Promise<String> other = Heddle.promise();
        var _ = other.future().toCompletableFuture();
        other.fail(unseen);
      });
      while (!reports.failures().contains(unseen)) {
        System.gc();
        LockSupport.parkNanos(1_000_000);
      }
      return reports.failures().stream().filter(reported -> reported != unseen).toList();
    }
  }

  @Test
  void failureOfACompletableFuture_thatWasObserved_isNotReported() {
    assertThat(reportsAfter(f -> assertThatThrownBy(f::get).hasCause(failure))).isEmpty();
    assertThat(reportsAfter(f -> assertThatThrownBy(f::join).hasCause(failure))).isEmpty();
    assertThat(reportsAfter(f -> assertThatThrownBy(() -> f.getNow("")).hasCause(failure)))
        .isEmpty();
    assertThat(reportsAfter(f -> assertThat(f.exceptionNow()).isSameAs(failure))).isEmpty();
    assertThat(reportsAfter(f -> f.exceptionally(_ -> "fine"))).isEmpty();
    assertThat(reportsAfter(UnclaimedFutureTest::combine)).isEmpty();
  }

  private static void combine(CompletableFuture<String> with) {
    var _ = CompletableFuture.completedFuture("").thenCombine(with, (a, _) -> a);
  }

  @Test
  void failureOfACompletableFuture_thatOtherCodeHasCompleted_isReportedAtOnce() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Promise<String> promise = Heddle.promise("job");
        promise.future().toCompletableFuture().cancel(false);
        promise.fail(failure);
      });
      assertThat(reports.failures()).containsExactly(failure);
    }
  }

  @Test
  void failureOfACompletableFuture_onWhichSomethingDepends_isNotReported() {
    try (Reports reports = new Reports()) {
      AtomicReference<CompletableFuture<Throwable>> dependent = new AtomicReference<>();
      Heddle.run(() -> {
        Promise<String> promise = Heddle.promise("job");
        dependent.set(promise.future().toCompletableFuture().handle((_, failed) -> failed));
        promise.fail(failure);
      });
      assertThat(dependent.get()).isCompletedWithValue(failure);
      assertThat(reports.failures()).isEmpty();
    }
  }

  @Test
  @Tag("loop-153")
  void value_thatWasNotUsed_isWarnedAboutAtTheEnd() {
    List<String> reports = reportsOf(() -> Heddle.<String>promise("job").complete("value"));
    assertThat(reports).hasSize(1);
    assertThat(reports.getFirst())
        .contains("'job'")
        .contains("was never used")
        .contains("created at " + UnclaimedFutureTest.class.getName());
  }

  @Test
  @Tag("loop-153")
  void value_ofAFutureThatIsGarbage_isWarnedAboutWhileTheLoopRuns() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Heddle.<String>promise("job").complete("value");
        while (reports.messages().isEmpty()) {
          System.gc();
          Heddle.delay(Duration.ofMillis(1));
        }
      });
      assertThat(reports.messages()).hasSize(1);
    }
  }

  @Test
  @Tag("loop-153")
  void value_thatWasUsedInAnyWay_isNotWarnedAbout() {
    List<String> reports =
        reportsOf(() -> {
          completed().await();
          completed().map(s -> s);
          completed().ignore();
          completed().onCompletion(() -> {});
          Heddle.await(completed());
          var _ = completed().toCompletableFuture();
          var early = Heddle.<String>promise();
          early.future().map(s -> s);
          early.complete("value");
        });
    assertThat(reports).isEmpty();
  }

  @Test
  @Tag("loop-122")
  void value_usedAsATokenOnly_isUsed() {
    List<String> reports =
        reportsOf(() -> {
          completed().await(completed());
          var worker = Heddle.spawn(() -> 1);
          assertThatThrownBy(() -> Heddle.<String>promise().future().await(completed()));
          worker.await();
          worker.await(completed());
        });
    assertThat(reports).isEmpty();
  }

  private static Future<String> completed() {
    Promise<String> promise = Heddle.promise();
    promise.complete("value");
    return promise.future();
  }

  @Test
  void entries_ofManyDroppedOutcomes_areSwept() {
    try (Reports reports = new Reports()) {
      List<Future<String>> kept = new ArrayList<>();
      Heddle.run(() -> {
        for (int i = 0; i < 1_000; i++) {
          failed();
          kept.add(failed());
        }
        while (reports.messages().size() < 1_000) {
          System.gc();
          Heddle.delay(Duration.ofMillis(1));
        }
        kept.forEach(Future::ignore);
      });
      // a collection on a busy machine may hold the loop, which is reported, too
      assertThat(reports.messages())
          .filteredOn(message -> message.startsWith("unobserved failure"))
          .hasSize(1_000);
    }
  }
}
