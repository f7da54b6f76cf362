// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.CompositeException;
import dev.heddle.CoroutineException;
import dev.heddle.ExitException;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.LoopEndedException;
import dev.heddle.Registration;
import dev.heddle.event.Promise;
import dev.heddle.simulation.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a loop closes at its end: the order, and closers that wait, throw, hang or come late.
@Tag("T12")
@Timeout(300)
class CloserTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final HeddleOptions OPTIONS =
      HeddleOptions.defaults()
          .withShutdownDeadline(Duration.ofSeconds(10))
          .withGracePeriod(Duration.ofSeconds(5));

  private final List<String> log = new ArrayList<>();
  private final Simulation world = new Simulation(1);

  /// In virtual time.
  private void run(Action main) {
    world.run(
        OPTIONS,
        () -> {
          main.run();
          return null;
        });
  }

  private void register(String name, Action close) {
    Heddle.onShutdown(
        name,
        () -> {
          log.add(name + " begins");
          close.run();
          log.add(name + " ends");
        });
  }

  private static void fail(String message) {
    throw new IllegalStateException(message);
  }

  // ---- when, and in which order ----

  @Test
  void closers_runAfterTheLastCoroutine_theYoungestFirst() {
    run(() -> {
      register("first", () -> {});
      register("second", () -> {});
      Heddle.launch(
          "worker",
          () -> {
            Heddle.delay(HOUR);
            log.add("worker ends");
          });
    });
    assertThat(log)
        .containsExactly(
            "worker ends", "second begins", "second ends", "first begins", "first ends");
  }

  @Test
  void closers_ofALoopThatStops_runAfterTheCleanUp() {
    run(() -> {
      register("closer", () -> {});
      Heddle.launch(
          "worker",
          () -> {
            try {
              Heddle.delay(HOUR);
            } finally {
              Heddle.delay(Duration.ofSeconds(1));
              log.add("worker has cleaned up");
            }
          });
      Heddle.delay(Duration.ofSeconds(1));
      Heddle.shutdown(Duration.ofSeconds(9));
    });
    assertThat(log).containsExactly("worker has cleaned up", "closer begins", "closer ends");
  }

  @Test
  void closerTakenBack_isNotCalled() {
    run(() -> {
      Registration mine = Heddle.onShutdown(() -> log.add("taken back"));
      register("kept", () -> {});
      mine.close();
      mine.close();
    });
    assertThat(log).containsExactly("kept begins", "kept ends");
  }

  @Test
  void registrationClosedAfterTheLoop_changesNothing() {
    Registration[] mine = new Registration[1];
    run(() -> mine[0] = Heddle.onShutdown(() -> log.add("closed")));
    mine[0].close();
    assertThat(log).containsExactly("closed");
  }

  @Test
  void closerRegisteredByACloser_isCalledNext() {
    run(() -> {
      register("last", () -> {});
      register("registers", () -> register("late", () -> {}));
    });
    assertThat(log)
        .containsExactly(
            "registers begins",
            "registers ends",
            "late begins",
            "late ends",
            "last begins",
            "last ends");
  }

  @Test
  @Tag("loop-13")
  void spawnInACloser_runsBeforeTheLoopEnds() {
    run(() -> {
      register(
          "spawns",
          () -> {
            Heddle.launch(
                "spawned",
                () -> {
                  Heddle.delay(Duration.ofSeconds(1));
                  log.add("spawned ran");
                });
          });
    });
    assertThat(log).containsExactly("spawns begins", "spawns ends", "spawned ran");
  }

  // ---- those that wait ----

  @Test
  @Tag("T10")
  void closerThatSuspends_doesNotHoldUpTheOthers() {
    run(() -> {
      register("third", () -> {});
      register("second", () -> Heddle.delay(Duration.ofSeconds(1)));
      register("first", () -> Heddle.delay(Duration.ofSeconds(2)));
    });
    assertThat(log)
        .containsExactly(
            "first begins",
            "second begins",
            "third begins",
            "third ends",
            "second ends",
            "first ends");
    assertThat(world.elapsed()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void closerThatSuspends_isCalledOnce_howeverOftenItDoes() {
    run(() -> {
      register("other", () -> Heddle.delay(Duration.ofSeconds(1)));
      register(
          "suspends",
          () -> {
            for (int i = 0; i < 3; i++) {
              Heddle.delay(Duration.ofSeconds(1));
            }
          });
    });
    assertThat(log)
        .containsExactly("suspends begins", "other begins", "other ends", "suspends ends");
  }

  @Test
  void closerThatWaitsForAYoungerOne_getsIt() {
    run(() -> {
      Promise<String> flushed = Heddle.promise();
      register("flushes", () -> flushed.complete("flushed"));
      register("waits", () -> log.add(flushed.future().await()));
    });
    assertThat(log)
        .containsExactly("waits begins", "flushes begins", "flushes ends", "flushed", "waits ends");
  }

  /// A wait of the JDK's calls no switch handler.
  @Test
  void closerThatTheJdkParks_doesNotHoldUpTheOthers() {
    CountDownLatch released = new CountDownLatch(1);
    Heddle.run(() -> {
      register("releases", released::countDown);
      register("blocks", released::await);
    });
    assertThat(log)
        .containsExactly("blocks begins", "releases begins", "releases ends", "blocks ends");
  }

  @Test
  @Tag("loop-285")
  void closeCalledDirectly_thatSuspends_completesInPlace() {
    run(() -> {
      Heddle.launch("other", () -> log.add("others meanwhile"));
      try (Registration _ = () -> closeSlowly("in place")) {
        log.add("body");
      }
      log.add("after it");
    });
    assertThat(log).containsExactly("body", "others meanwhile", "in place", "after it");
    assertThat(world.elapsed()).isEqualTo(Duration.ofSeconds(1));
  }

  private void closeSlowly(String what) {
    Heddle.delay(Duration.ofSeconds(1));
    log.add(what);
  }

  // ---- those that throw ----

  @Test
  void closerThatThrows_endsTheRunWithItsFailure_afterTheOthers() {
    IOException failure = new IOException("disk full");
    assertThatThrownBy(() ->
            run(() -> {
              register("other", () -> {});
              Heddle.onShutdown(() -> {
                throw failure;
              });
            }))
        .isInstanceOf(CoroutineException.class)
        .hasCause(failure);
    assertThat(log).containsExactly("other begins", "other ends");
  }

  @Test
  void closersThatThrow_endTheRunAsOne() {
    assertThatThrownBy(() ->
            run(() -> {
              register("one", () -> fail("one"));
              register("two", () -> fail("two"));
            }))
        .isInstanceOfSatisfying(
            CompositeException.class,
            e ->
                assertThat(e.failures())
                    .extracting(Throwable::getMessage)
                    .containsExactly("two", "one"))
        .hasMessageContaining("2 closers failed");
  }

  @Test
  void closerThatThrows_besideACancelledMain_endsTheRunWithItsFailure() {
    assertThatThrownBy(() ->
            run(() -> {
              register("throws", () -> fail("closer"));
              Heddle.shutdown(HOUR);
              Heddle.delay(HOUR);
            }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("closer");
  }

  @Test
  void closerThatThrows_besideAFailure_standsInItsReport() {
    IllegalStateException reason = new IllegalStateException("the reason");
    assertThatThrownBy(() ->
            run(() -> {
              register("throws", () -> fail("closer"));
              throw reason;
            }))
        .isSameAs(reason);
    FailureReport report = Heddle.reportOf(reason);
    assertThat(report).isNotNull();
    assertThat(report.merged()).extracting(Throwable::getMessage).containsExactly("closer");
  }

  @Test
  void closerThatThrows_besideAnExit_isLogged() {
    try (Reports reports = new Reports()) {
      assertThatThrownBy(() ->
              run(() -> {
                register("throws", () -> fail("closer"));
                Heddle.exit(5);
              }))
          .isInstanceOfSatisfying(ExitException.class, e -> assertThat(e.code()).isEqualTo(5));
      assertThat(reports.failures()).singleElement().asString().contains("closer");
    }
  }

  @Test
  void exitInACloser_isTheExitCode() {
    assertThatThrownBy(() -> run(() -> register("exits", () -> Heddle.exit(6))))
        .isInstanceOfSatisfying(ExitException.class, e -> assertThat(e.code()).isEqualTo(6));
    assertThat(log).containsExactly("exits begins", "exits ends");
  }

  // ---- those that hang ----

  @Test
  @Tag("T18")
  void closerThatHangs_isCutAndNamedAtTheDeadline() {
    try (Reports reports = new Reports()) {
      run(() -> {
        register("hangs", () -> Heddle.delay(HOUR));
        register("other", () -> {});
      });
      assertThat(reports.messages())
          .singleElement(InstanceOfAssertFactories.STRING)
          .contains("1 coroutine did not end by the shutdown deadline")
          .contains("closer 'hangs' had not returned");
    }
    assertThat(log).containsExactly("other begins", "other ends", "hangs begins");
    assertThat(world.elapsed()).isEqualTo(OPTIONS.shutdownDeadline());
  }

  @Test
  @Tag("T18")
  void closerThatIgnoresInterrupts_isAbandonedAndNamed_andTheOthersAreCalled() {
    CountDownLatch release = new CountDownLatch(1);
    try (Reports reports = new Reports()) {
      Heddle.run(
          HeddleOptions.defaults().withShutdownDeadline(Duration.ofMillis(5)),
          () -> {
            register("other", () -> {});
            Heddle.onShutdown("deaf", () -> awaitUninterruptibly(release));
          });
      assertThat(reports.messages())
          .singleElement(InstanceOfAssertFactories.STRING)
          .contains("closer 'deaf' had not returned")
          .contains("abandoned 1 coroutine")
          .contains("CloserTest.awaitUninterruptibly");
    } finally {
      release.countDown();
    }
    assertThat(log).containsExactly("other begins", "other ends");
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        // deaf on purpose: the loop must end all the same
      }
    }
  }

  @Test
  void closers_behindACoroutineThatHangs_areCalledAtTheDeadlineAndMayWait() {
    try (Reports _ = new Reports()) {
      run(() -> {
        register("closer", () -> Heddle.delay(Duration.ofSeconds(4)));
        Heddle.launch("stubborn", () -> Heddle.shield(() -> Heddle.delay(HOUR)));
        Heddle.delay(Duration.ofSeconds(1));
        Heddle.shutdown(Duration.ofSeconds(9));
      });
    }
    assertThat(log).containsExactly("closer begins", "closer ends");
    assertThat(world.elapsed()).isEqualTo(Duration.ofSeconds(1 + 9 + 4));
  }

  @Test
  void closers_behindACoroutineThatIgnoresInterrupts_areCalledAtTheDeadlineAndMayWait() {
    CountDownLatch release = new CountDownLatch(1);
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        register("closer", () -> Heddle.delay(Duration.ofMillis(1)));
        Heddle.launch("deaf", () -> awaitUninterruptibly(release));
        Heddle.yieldNow();
        Heddle.shutdown(Duration.ofMillis(5));
      });
      assertThat(reports.messages())
          .singleElement(InstanceOfAssertFactories.STRING)
          .contains("abandoned 1 coroutine: coroutine-2 'deaf'");
    } finally {
      release.countDown();
    }
    assertThat(log).containsExactly("closer begins", "closer ends");
  }

  @Test
  void closerCalledAtTheDeadline_thatHangs_isNamedAfterTheGracePeriod() {
    try (Reports reports = new Reports()) {
      run(() -> {
        register("hangs", () -> Heddle.delay(HOUR));
        Heddle.launch("stubborn", () -> Heddle.shield(() -> Heddle.delay(HOUR)));
        Heddle.delay(Duration.ofSeconds(1));
        Heddle.shutdown(Duration.ofSeconds(9));
      });
      assertThat(reports.messages())
          .singleElement(InstanceOfAssertFactories.STRING)
          .contains("closer 'hangs' had not returned");
    }
    assertThat(world.elapsed()).isEqualTo(Duration.ofSeconds(1 + 9 + 5));
  }

  @Test
  void closerRegisteredPastTheDeadline_isRefused() {
    try (Reports _ = new Reports()) {
      run(() -> {
        register(
            "registers",
            () ->
                assertThatThrownBy(() -> Heddle.onShutdown("late", () -> log.add("late")))
                    .isInstanceOf(LoopEndedException.class)
                    .hasMessageContaining("'late'"));
        Heddle.launch("stubborn", () -> Heddle.shield(() -> Heddle.delay(HOUR)));
        Heddle.delay(Duration.ofSeconds(1));
        Heddle.shutdown(Duration.ofSeconds(9));
      });
    }
    assertThat(log).containsExactly("registers begins", "registers ends");
  }
}
