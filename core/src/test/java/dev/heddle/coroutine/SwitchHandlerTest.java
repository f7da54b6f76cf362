// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.CompositeException;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.PinnedException;
import dev.heddle.Registration;
import dev.heddle.event.Promise;
import dev.heddle.hosting.ChildJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Switch handlers: where they are registered, in which pairs they are called, and what happens
/// when they fail.
@Tag("T10")
@Timeout(300)
class SwitchHandlerTest {
  private final IllegalStateException failure = new IllegalStateException("handler");
  private final List<String> log = new ArrayList<>();

  private SwitchHandler logging(String who) {
    return (coroutine, kind) -> {
      log.add(
          who
              + (kind == Switch.ENTER
                  ? " enters"
                  : kind == Switch.FINISH ? " finishes" : " leaves"));
      return true;
    };
  }

  /// Logs, and throws once, the first time it is called so.
  private SwitchHandler failingOnce(String who, boolean atEnter) {
    boolean[] failed = new boolean[1];
    SwitchHandler logging = logging(who);
    return (coroutine, kind) -> {
      logging.onSwitch(coroutine, kind);
      if (kind == (atEnter ? Switch.ENTER : Switch.LEAVE) && !failed[0]) {
        failed[0] = true;
        throw failure;
      }
      return true;
    };
  }

  private int suspendAndCatch() {
    log.add("body");
    try {
      Heddle.yieldNow();
    } catch (RuntimeException e) {
      log.add("caught " + e.getMessage());
    }
    log.add("end");
    return 1;
  }

  // ---- the three registrations ----

  @Test
  void handlerAddedToTheCurrentCoroutine_isNotifiedOfItsNextLeave() {
    Heddle.run(() -> {
      Heddle.addSwitchHandler(logging("main"));
      Heddle.yieldNow();
      log.add("end");
    });
    assertThat(log).containsExactly("main leaves", "main enters", "end", "main finishes");
  }

  @Test
  void handlerAddedBeforeTheLoop_isMainsFromItsStart() {
    Heddle.addSwitchHandler(logging("main"));
    Heddle.run(() -> {
      log.add("body");
    });
    Heddle.run(() -> {
      log.add("next loop");
    });
    assertThat(log).containsExactly("main enters", "body", "main finishes", "next loop");
  }

  @Test
  void handlerAddedBeforeALoopOnItsOwnThread_isOfTheLoopThisThreadStarts() throws Exception {
    Heddle.addSwitchHandler(logging("main"));
    Thread other =
        Thread.ofPlatform()
            .start(() ->
                Heddle.run(() -> {
                  log.add("another thread's loop");
                }));
    other.join();
    Loop.start(() -> log.add("body")).join();
    assertThat(log)
        .containsExactly("another thread's loop", "main enters", "body", "main finishes");
  }

  @Test
  void mainStartHandler_isCopiedIntoEveryLoopUntilItIsTakenBack() {
    try (Registration _ = Heddle.onMainStart(logging("every"))) {
      Heddle.addSwitchHandler(logging("next"));
      Heddle.run(() -> {
        log.add("first loop");
        Heddle.spawn(() -> log.add("others have none")).await();
      });
      Heddle.run(HeddleOptions.defaults(), () -> log.add("second loop"));
    }
    Heddle.run(() -> log.add("third loop"));
    assertThat(log)
        .containsExactly(
            "every enters",
            "next enters",
            "first loop",
            "every leaves",
            "next leaves",
            "others have none",
            "every enters",
            "next enters",
            "every finishes",
            "next finishes",
            "every enters",
            "second loop",
            "every finishes",
            "third loop");
  }

  @Test
  void mainStartHandler_takenBackByTheLoopItIsIn_staysInThatLoop() {
    AtomicReference<Registration> registration = new AtomicReference<>();
    registration.set(Heddle.onMainStart(logging("every")));
    Heddle.run(() -> Objects.requireNonNull(registration.get()).close());
    Heddle.run(() -> log.add("next loop"));
    assertThat(log).containsExactly("every enters", "every finishes", "next loop");
  }

  // ---- coming and going ----

  @Test
  @Tag("loop-304")
  void handlerRemoved_isNotCalledAgain() {
    Heddle.run(() -> {
      SwitchHandler handler = logging("removed");
      Heddle.addSwitchHandler(handler);
      assertThat(Heddle.current().removeSwitchHandler(handler)).isTrue();
      assertThat(Heddle.current().removeSwitchHandler(handler)).isFalse();
      Heddle.yieldNow();
    });
    assertThat(log).isEmpty();
  }

  @Test
  @Tag("loop-304")
  void handlerRemovedByAHandler_isRefused() {
    List<String> refusals = new ArrayList<>();
    Heddle.run(() -> {
      SwitchHandler kept = logging("kept");
      Heddle.addSwitchHandler(kept);
      Heddle.addSwitchHandler((coroutine, kind) -> {
        try {
          coroutine.removeSwitchHandler(kept);
        } catch (IllegalStateException e) {
          refusals.add(e.getMessage());
        }
        return false;
      });
      Heddle.yieldNow();
    });
    assertThat(refusals).singleElement().asString().contains("switch handler", "return false");
    assertThat(log).containsExactly("kept leaves", "kept enters", "kept finishes");
  }

  @Test
  @Tag("loop-304")
  void handlerOfACoroutineCancelledBeforeItsStart_isNeverCalled() {
    Heddle.run(() -> {
      var never = Heddle.spawn(() -> log.add("body"));
      never.addSwitchHandler(logging("never"));
      never.cancel("not needed");
    });
    assertThat(log).isEmpty();
  }

  @Test
  void handler_mayStartACoroutine() {
    Heddle.run(() -> {
      Heddle.addSwitchHandler((coroutine, kind) -> {
        Heddle.spawn(() -> log.add("started by the handler"));
        return false;
      });
      Heddle.spawn(() -> log.add("spawned before"));
      Heddle.yieldNow();
    });
    assertThat(log).containsExactly("spawned before", "started by the handler");
  }

  // ---- those that throw ----

  @Test
  @Tag("loop-304")
  void leaveHandlerThatThrows_failsTheWaitAndAllOfThemEnterAgain() {
    Heddle.run(() -> {
      var worker = Heddle.spawn(this::suspendAndCatch);
      worker.addSwitchHandler(logging("first"));
      worker.addSwitchHandler(failingOnce("failing", false));
      worker.addSwitchHandler(logging("last"));
    });
    assertThat(log)
        .containsExactly(
            "first enters",
            "failing enters",
            "last enters",
            "body",
            "first leaves",
            "failing leaves",
            "last leaves",
            "first enters",
            "failing enters",
            "last enters",
            "caught handler",
            "end",
            "first finishes",
            "failing finishes",
            "last finishes");
  }

  @Test
  @Tag("loop-304")
  void leaveHandlerThatThrows_leavesNoSubscriptionBehind() {
    Heddle.run(() -> {
      Heddle.addSwitchHandler(failingOnce("main", false));
      int timers = Heddle.counters().timers();
      assertThatThrownBy(() -> Heddle.delay(Duration.ofHours(1))).isSameAs(failure);
      assertThat(Heddle.counters().timers()).isEqualTo(timers);
      assertThat(Heddle.spawn(() -> "goes on").await()).isEqualTo("goes on");
    });
  }

  @Test
  @Tag("loop-304")
  void enterHandlerThatThrows_failsTheWaitAfterItIsOver() {
    Heddle.run(() -> {
      Heddle.addSwitchHandler(failingOnce("failing", true));
      Heddle.addSwitchHandler(logging("last"));
      suspendAndCatch();
    });
    assertThat(log)
        .containsExactly(
            "body",
            "failing leaves",
            "last leaves",
            "failing enters",
            "last enters",
            "caught handler",
            "end",
            "failing finishes",
            "last finishes");
  }

  @Test
  @Tag("loop-304")
  void enterHandlerThatThrows_afterAWaitThatFailed_keepsThatFailureInItsReport() {
    IllegalStateException lost = new IllegalStateException("of the wait");
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Heddle.launch("fails the promise", () -> promise.fail(lost));
      Heddle.addSwitchHandler(failingOnce("main", true));
      assertThatThrownBy(() -> promise.future().await()).isSameAs(failure);
    });
    FailureReport report = Heddle.reportOf(failure);
    assertThat(report).isNotNull();
    assertThat(report.merged()).contains(lost);
  }

  @Test
  @Tag("loop-304")
  void twoHandlersThatThrow_reachTheCoroutineAsOne() {
    IllegalStateException second = new IllegalStateException("second");
    Heddle.run(() -> {
      Heddle.addSwitchHandler(failingOnce("first", false));
      Heddle.addSwitchHandler((coroutine, kind) -> {
        if (kind == Switch.LEAVE && log.size() < 2) {
          throw second;
        }
        return true;
      });
      assertThatThrownBy(Heddle::yieldNow)
          .isInstanceOfSatisfying(
              CompositeException.class,
              e -> assertThat(e.failures()).containsExactly(failure, second));
    });
  }

  private static void check(Parity parity) {
    assertThat(parity.calls()).isPositive();
    assertThat(parity.isAway()).isFalse();
    assertThat(parity.missed()).isZero();
  }

  private static final class Pinned {
    static {
      Heddle.delay(Duration.ofHours(1));
    }

    static void touch() {}
  }

  @Test
  @Tag("once")
  void pinnedWait_entersAgain() {
    Parity parity = new Parity();
    Heddle.run(() -> {
      Heddle.addSwitchHandler(parity);
      assertThatThrownBy(Pinned::touch).hasCauseInstanceOf(PinnedException.class);
    });
    check(parity);
  }

  @Test
  void leaveHandlerThatTheJdkParks_losesNoWakeUp() {
    ReentrantLock lock = new ReentrantLock();
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Heddle.launch(
          "holder",
          () -> {
            lock.lock();
            try {
              while (!lock.hasQueuedThreads()) {
                Heddle.yieldNow();
              }
              promise.complete("came"); // while the other is parked in its handler
              Heddle.yieldNow();
              Heddle.yieldNow();
            } finally {
              lock.unlock();
            }
          });
      Heddle.yieldNow();
      Heddle.addSwitchHandler((coroutine, kind) -> {
        if (kind != Switch.ENTER) {
          lock.lock();
          lock.unlock();
        }
        return true;
      });
      assertThat(promise.future().await()).isEqualTo("came");
      Heddle.yieldNow(); // a turn that was missed is not owed any more
    });
  }

  @Test
  void leaveHandlerThatWaits_leavesTheWaitAroundItAlone() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      Heddle.launch("completing", () -> promise.complete("came"));
      Heddle.addSwitchHandler((coroutine, kind) -> {
        try {
          Heddle.delay(Duration.ofMillis(1));
        } catch (IllegalStateException e) {
          log.add(e.getMessage());
        }
        return true;
      });
      assertThat(promise.future().await()).isEqualTo("came");
    });
    assertThat(log).isNotEmpty().allMatch(m -> m.contains("inside a switch handler"));
  }

  @Test
  void handlerAddedToASuspendedCoroutine_isNotNotifiedOfAnEnterWithoutALeave() {
    Heddle.run(() -> {
      Coroutine<?> other =
          Heddle.spawn(() -> {
            Heddle.yieldNow();
            Heddle.yieldNow();
          });
      Heddle.yieldNow();
      other.addSwitchHandler(logging("late"));
      other.await();
    });
    assertThat(log).containsExactly("late leaves", "late enters", "late finishes");
  }

  @Test
  void stackThatEndsInALeaveHandler_isEnteredLateByAllOfThem() {
    SwitchHandler overflowing =
        new SwitchHandler() {
          private boolean ended;

          @Override
          public boolean onSwitch(Coroutine<?> coroutine, Switch kind) {
            log.add(
                "second"
                    + (kind == Switch.ENTER
                        ? " enters"
                        : kind == Switch.FINISH ? " finishes" : " leaves"));
            if (!ended) {
              ended = true;
              throw new StackOverflowError("as if the stack ended here");
            }
            return true;
          }
        };
    Heddle.run(() -> {
      Heddle.addSwitchHandler(logging("first"));
      Heddle.addSwitchHandler(overflowing);
      Heddle.addSwitchHandler(logging("third"));
      assertThatThrownBy(Heddle::yieldNow).isInstanceOf(StackOverflowError.class);
      log.add("goes on");
      Heddle.yieldNow();
    });
    assertThat(log)
        .containsExactly(
            "first leaves",
            "second leaves",
            "third leaves",
            "goes on",
            "first enters",
            "second enters",
            "third enters",
            "first leaves",
            "second leaves",
            "third leaves",
            "first enters",
            "second enters",
            "third enters",
            "first finishes",
            "second finishes",
            "third finishes");
  }

  @Test
  void waitsUntilTheStackEnds_missACallPerOverflowAtMost() throws Exception {
    ChildJvm.Result child = ChildJvm.of(SwitchesAtStackEndProgram.class).with("-Xint").run();
    assertThat(child.output()).startsWith("sound: ");
  }
}
