// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.Promise;
import dev.heddle.hosting.StackEnd;
import dev.heddle.simulation.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class MutexTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final List<String> log = new ArrayList<>();

  /// A coroutine that takes the mutex, notes its name and gives it back.
  private Coroutine<?> taker(Mutex mutex, String name) {
    return Heddle.spawn(
        name,
        () -> {
          mutex.lock();
          log.add(name);
          mutex.unlock();
          return name;
        });
  }

  /// A coroutine that holds the mutex until it is cancelled.
  private static Coroutine<?> holder(Mutex mutex, String name) {
    Coroutine<?> holder =
        Heddle.spawn(
            name,
            () ->
                mutex.withLock(() -> {
                  Heddle.delay(LONG);
                  return name;
                }));
    Heddle.yieldNow();
    assertThat(mutex.owner()).isSameAs(holder);
    return holder;
  }

  private static Event elapsed() {
    Event event = Heddle.timer(Duration.ofNanos(1));
    Heddle.await(event);
    return event;
  }

  // ---- taking turns ----

  @Test
  void lockAndUnlock_withoutOthers_changeTheOwner() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      mutex.lock();
      assertThat(mutex.owner()).isSameAs(Heddle.current());
      mutex.unlock();
      assertThat(mutex.isLocked()).isFalse();
      assertThat(mutex.tryLock()).isTrue();
      assertThat(mutex.isLocked()).isTrue();
      mutex.unlock();
    });
  }

  @Test
  void section_thatSuspends_isNotEnteredByAnother() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      int[] inside = new int[1];
      Heddle.scope(s -> {
        for (int i = 0; i < 10; i++) {
          s.launch(
              "worker",
              () ->
                  mutex.withLock(() -> {
                    assertThat(++inside[0]).isEqualTo(1);
                    Heddle.yieldNow();
                    inside[0]--;
                  }));
        }
        return null;
      });
    });
  }

  @Test
  @Tag("trap-3")
  void waiters_areServedInTheOrderOfArrival() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      mutex.lock();
      IntStream.range(0, 5).forEach(i -> taker(mutex, "taker " + i));
      Heddle.yieldNow();
      mutex.unlock();
    });
    assertThat(log).containsExactly("taker 0", "taker 1", "taker 2", "taker 3", "taker 4");
  }

  @Test
  @Tag("trap-3")
  void waiters_ofHighPriority_waitTheirTurnAllTheSame() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      mutex.lock();
      taker(mutex, "first");
      Heddle.yieldNow();
      taker(mutex, "second").setHighPriority();
      Heddle.yieldNow();
      mutex.unlock();
    });
    assertThat(log).containsExactly("first", "second");
  }

  @Test
  @Tag("trap-2")
  void unlock_withAWaiter_leavesNothingForOthersToTake() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      mutex.lock();
      var waiter = taker(mutex, "waiter");
      Heddle.yieldNow();
      mutex.unlock();
      assertThat(mutex.owner()).isSameAs(waiter);
      assertThat(mutex.tryLock()).isFalse();
      mutex.lock();
      log.add("releaser");
      mutex.unlock();
    });
    assertThat(log).containsExactly("waiter", "releaser");
  }

  @Test
  @Tag("trap-2")
  @Tag("trap-26")
  void unlockAndLockInALoop_letsEveryOtherThroughInBetween() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      for (int i = 0; i < 3; i++) {
        String name = "worker " + i;
        Heddle.launch(
            name,
            () -> {
              for (int round = 0; round < 3; round++) {
                mutex.lock();
                log.add(name);
                Heddle.yieldNow();
                mutex.unlock();
              }
            });
      }
    });
    List<String> round = List.of("worker 0", "worker 1", "worker 2");
    assertThat(log).hasSize(9);
    for (int i = 0; i < 9; i += 3) {
      assertThat(log.subList(i, i + 3)).isEqualTo(round);
    }
  }

  @Test
  @Tag("trap-16")
  void passing_amongAHundred_takesASwitchEachAndNoLookAtTheReactor() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      mutex.lock();
      List<Coroutine<?>> takers =
          IntStream.range(0, 100).<Coroutine<?>>mapToObj(i -> taker(mutex, "t")).toList();
      Heddle.yieldNow();
      var before = Heddle.counters();
      mutex.unlock();
      takers.getLast().await();
      var after = Heddle.counters();
      assertThat(after.switches() - before.switches()).isEqualTo(101); // the takers and main
      assertThat(after.sleeps()).isEqualTo(before.sleeps());
      assertThat(after.polls()).isEqualTo(before.polls());
    });
  }

  // ---- whose it is ----

  @Test
  void lock_ofItsOwner_isRefusedAndSaysWhy() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex("ledger");
      mutex.lock();
      assertThatThrownBy(mutex::lock)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("holds the mutex 'ledger' already", "not reentrant");
      assertThatThrownBy(mutex::tryLock).hasMessageContaining("not reentrant");
      assertThatThrownBy(() -> mutex.withLock(() -> {})).hasMessageContaining("not reentrant");
      assertThat(mutex.owner()).isSameAs(Heddle.current());
      mutex.unlock();
    });
  }

  @Test
  void unlock_byAnother_isRefusedAndNamesTheOwner() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex("ledger");
      var holder = holder(mutex, "bookkeeper");
      assertThatThrownBy(mutex::unlock)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("cannot unlock", "held by", "bookkeeper");
      assertThat(mutex.owner()).isSameAs(holder);
      holder.cancel("enough");
    });
  }

  @Test
  void unlock_ofAFreeOne_isRefused() {
    Heddle.run(() -> {
      assertThatThrownBy(() -> new Mutex().unlock())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("which is not locked");
    });
  }

  @Test
  void lock_ofOneWhoseOwnerHasEnded_isRefusedAndNamesIt() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex("ledger");
      Heddle.spawn("forgetful", mutex::tryLock).await();
      assertThatThrownBy(mutex::lock)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("'ledger' was never unlocked by", "forgetful");
      assertThat(mutex.info()).contains("has ended without unlocking it");
    });
  }

  @Test
  void use_onAnotherLoop_isRefused() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex("ledger");
      Loop<?> other =
          Loop.start(() -> {
            assertThatThrownBy(mutex::lock).hasMessageContaining("belongs to another loop");
            assertThatThrownBy(mutex::tryLock).hasMessageContaining("belongs to another loop");
            assertThatThrownBy(mutex::unlock).hasMessageContaining("belongs to another loop");
            return 1;
          });
      assertThat(other.join()).isEqualTo(1);
    });
  }

  @Test
  void construction_outsideALoop_isRefusedAndNamesHeddleRun() {
    assertThatThrownBy(Mutex::new)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.run");
  }

  // ---- bounded waits ----

  @Test
  void lockWithDeadline_thatExpires_leavesTheQueue() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      var holder = holder(mutex, "holder");
      Deadline soon = Deadline.after(Duration.ofMillis(1));
      assertThatThrownBy(() -> mutex.lock(soon)).isInstanceOf(DeadlineException.class);
      assertThat(mutex.info()).contains("0 waiting");
      // over by now; it bounds only waits
      assertThatThrownBy(() -> mutex.lock(soon)).isInstanceOf(DeadlineException.class);
      holder.cancel("enough");
      mutex.lock(Deadline.never());
      mutex.unlock();
      mutex.lock(soon);
      mutex.unlock();
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  void lockWithToken_thatFires_leavesTheQueue() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      var holder = holder(mutex, "holder");
      var failing =
          Heddle.spawn(() -> {
            Heddle.yieldNow();
            throw new IOException("token");
          });
      assertThatThrownBy(() -> mutex.lock(failing))
          .isInstanceOf(WaitCancelledException.class)
          .hasRootCauseMessage("token");
      assertThat(mutex.info()).contains("0 waiting");
      holder.cancel("enough");
    });
  }

  @Test
  void lockWithToken_thatHasFired_throwsAtOnceOnlyWhereItWouldWait() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      Event fired = elapsed();
      mutex.lock(fired);
      mutex.unlock();
      var holder = holder(mutex, "holder");
      var before = Heddle.counters();
      assertThatThrownBy(() -> mutex.lock(fired)).isInstanceOf(WaitCancelledException.class);
      assertThat(Heddle.counters().switches()).isEqualTo(before.switches());
      holder.cancel("enough");
    });
  }

  // ---- cancellation, and the window between woken and running ----

  @Test
  @Tag("trap-5")
  void waiter_cancelledInTheLine_isSkipped() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      mutex.lock();
      var first = taker(mutex, "first");
      var second = taker(mutex, "second");
      Heddle.yieldNow();
      first.cancel("leave");
      // it has not run yet: still in the line, but no longer for the mutex
      mutex.unlock();
      assertThat(mutex.owner()).isSameAs(second);
      assertThatThrownBy(first::await).isInstanceOf(Cancellation.class);
    });
    assertThat(log).containsExactly("second");
  }

  @Test
  @Tag("trap-1")
  void waiter_handedTheMutexAndCancelledBeforeItRuns_handsItOn() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      mutex.lock();
      var first = taker(mutex, "first");
      taker(mutex, "second");
      taker(mutex, "third");
      Heddle.yieldNow();
      mutex.unlock();
      assertThat(mutex.owner()).isSameAs(first);
      first.cancel("leave");
      assertThatThrownBy(first::await).isInstanceOf(Cancellation.class);
    });
    assertThat(log).containsExactly("second", "third");
  }

  @Test
  @Tag("trap-1")
  void waiter_handedTheMutexAndCancelled_withoutASuccessor_releasesIt() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      mutex.lock();
      var only = taker(mutex, "only");
      Heddle.yieldNow();
      mutex.unlock();
      only.cancel("leave");
      assertThatThrownBy(only::await).isInstanceOf(Cancellation.class);
      assertThat(mutex.isLocked()).isFalse();
    });
    assertThat(log).isEmpty();
  }

  @Test
  @Tag("trap-1")
  void waiter_handedTheMutexWhenItsTokenFires_handsItOn() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      mutex.lock();
      var token = Heddle.spawn("token", () -> Heddle.await(Heddle.timer(LONG)));
      var first =
          Heddle.spawn(
              "first",
              () -> {
                assertThatThrownBy(() -> mutex.lock(token))
                    .isInstanceOf(WaitCancelledException.class);
                return 1;
              });
      taker(mutex, "second");
      Heddle.yieldNow();
      token.cancel("fire");
      // the token ends, and its waiter is woken, while main holds the mutex no longer
      mutex.unlock();
      first.await();
    });
    assertThat(log).containsExactly("second");
  }

  @Test
  void waiter_shielded_getsTheMutexAndThenTheCancellation() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      mutex.lock();
      var shielded =
          Heddle.spawn(() -> {
            Heddle.shield(() -> mutex.withLock(() -> log.add("flushed")));
            return log.add("went on");
          });
      Heddle.yieldNow();
      shielded.cancel("stop");
      Heddle.yieldNow();
      mutex.unlock();
      assertThatThrownBy(shielded::await).isInstanceOf(Cancellation.class);
      assertThat(mutex.isLocked()).isFalse();
    });
    assertThat(log).containsExactly("flushed");
  }

  @Test
  void scope_thatIsCancelled_leavesAFreeMutex() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      assertThatThrownBy(() ->
              Heddle.scope(s -> {
                IntStream.range(0, 100)
                    .forEach(i -> s.launch("w", () -> mutex.withLock(() -> Heddle.delay(LONG))));
                Heddle.yieldNow();
                throw new IOException("give up");
              }))
          .hasRootCauseMessage("give up");
      assertThat(mutex.isLocked()).isFalse();
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  // ---- run ----

  @Test
  void run_ofABody_returnsItsResultAndUnlocksHoweverItEnds() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      assertThat(mutex.<String>withLock(() -> "result")).isEqualTo("result");
      IllegalArgumentException unchecked = new IllegalArgumentException("unchecked");
      assertThatThrownBy(() -> fail(mutex, unchecked)).isSameAs(unchecked);
      IOException checked = new IOException("checked");
      assertThatThrownBy(() -> fail(mutex, checked))
          .isInstanceOf(CoroutineException.class)
          .hasCause(checked);
      assertThat(mutex.isLocked()).isFalse();
    });
  }

  @Test
  void withLock_boundedByDeadlineOrToken_doesNotRunTheBody() {
    VirtualTime.run(() -> {
      Mutex mutex = new Mutex();
      Coroutine<?> holder = Heddle.spawn(() -> mutex.withLock(() -> Heddle.delay(LONG)));
      Heddle.yieldNow();
      Deadline soon = Deadline.after(Duration.ofNanos(5));
      Promise<String> token = new Promise<>();
      List<String> ran = new ArrayList<>();
      Action action = () -> ran.add("action");
      assertThatThrownBy(() -> mutex.withLock(() -> ran.add("body"), soon))
          .isInstanceOf(DeadlineException.class);
      assertThatThrownBy(() -> mutex.withLock(action, soon)).isInstanceOf(DeadlineException.class);
      Heddle.launch("token", () -> token.complete("enough"));
      assertThatThrownBy(() -> mutex.withLock(() -> ran.add("body"), token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThatThrownBy(() -> mutex.withLock(action, token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(ran).isEmpty();
      assertThat(mutex.waiting()).isZero();
      holder.await();
      assertThat(mutex.<String>withLock(() -> "in time", soon)).isEqualTo("in time");
      mutex.withLock(action, token.future());
      assertThat(ran).containsExactly("action");
      assertThat(mutex.isLocked()).isFalse();
    });
  }

  private static void fail(Mutex mutex, Exception with) {
    mutex.withLock(() -> {
      Heddle.yieldNow();
      throw with;
    });
  }

  // ---- what reports say ----

  @Test
  @Tag("T19")
  void circleOfTwo_isADeadlockWhoseReportNamesMutexesAndOwners() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Mutex left = new Mutex("left");
              Mutex right = new Mutex("right");
              Heddle.launch("one", () -> nested(left, right));
              Heddle.launch("two", () -> nested(right, left));
            }))
        .isInstanceOf(DeadlockError.class)
        .hasMessageMatching("(?s).*'one'.* waits for the mutex 'right', held by \\S+ 'two'.*")
        .hasMessageMatching("(?s).*'two'.* waits for the mutex 'left', held by \\S+ 'one'.*");
  }

  private static void nested(Mutex outer, Mutex inner) {
    outer.withLock(() -> {
      Heddle.yieldNow();
      inner.withLock(() -> {});
    });
  }

  @Test
  @Tag("T19")
  void wait_forAMutex_isHeldByItsOwner() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      var holder = holder(mutex, "holder");
      var waiting = (CoroutineNode<?>) taker(mutex, "taker");
      Heddle.yieldNow();
      assertThat(waiting.awaitedEvents())
          .singleElement()
          .satisfies(
              place -> assertThat(List.<Object>copyOf(place.holders())).containsExactly(holder));
      holder.cancel("enough");
    });
  }

  @Test
  void info_saysNameOwnerAndHowManyWait() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex("ledger");
      assertThat(mutex).hasToString("the mutex 'ledger', which is not locked");
      var holder = holder(mutex, "bookkeeper");
      taker(mutex, "auditor");
      Heddle.yieldNow();
      assertThat(mutex.info())
          .startsWith("the mutex 'ledger', held by ")
          .contains("'bookkeeper'")
          .endsWith(", 1 waiting");
      assertThat(new Mutex().info()).startsWith("a mutex, ");
      holder.cancel("enough");
    });
  }

  @Test
  @Tag("trap-23")
  void unlock_whereTheStackEnds_wakesTheNext() {
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      mutex.lock();
      Coroutine<?> next = Heddle.spawn(() -> mutex.withLock(() -> "in"));
      Heddle.yieldNow();
      assertThat(StackEnd.runAt(mutex::unlock)).isTrue();
      next.await();
      assertThat(mutex.isLocked()).isFalse();
    });
  }

  @Test
  void run_whoseBodyUnlocksAndFails_throwsWhatTheBodyThrew() {
    IllegalStateException ofBody = new IllegalStateException("body");
    Heddle.run(() -> {
      Mutex mutex = new Mutex();
      assertThatThrownBy(() ->
              mutex.withLock(() -> {
                mutex.unlock();
                throw ofBody;
              }))
          .isSameAs(ofBody);
    });
    FailureReport report = Heddle.reportOf(ofBody);
    assertThat(report == null ? List.of() : report.merged())
        .singleElement()
        .asString()
        .contains("cannot unlock");
  }
}
