// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.WaitCancelledException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a coroutine meets that goes on after its cancellation was delivered.
@Tag("loop-320")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CancelledAgainTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final HeddleOptions IMPATIENT =
      HeddleOptions.defaults().withGracePeriod(Duration.ofMillis(5));

  private final Log log = new Log();

  private static void until(java.util.function.BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Heddle.yieldNow();
    }
  }

  // ---- one object for each delivery, and for each coroutine ----

  @Test
  void deliveries_afterTheGracePeriod_areNewObjectsCausedByTheFirst() {
    List<Cancellation> thrown = new ArrayList<>();
    Heddle.run(
        IMPATIENT,
        () -> {
          var worker = Heddle.spawn(() -> collect(thrown, 4));
          Heddle.yieldNow();
          worker.cancel("stop");
          assertThatThrownBy(worker::await).isSameAs(thrown.getFirst());
        });
    assertThat(thrown).hasSize(4).doesNotHaveDuplicates();
    assertThat(thrown.subList(1, 4))
        .allSatisfy(c -> assertThat(c).hasMessage("stop").hasCause(thrown.getFirst()));
  }

  private static boolean collect(List<Cancellation> thrown, int times) {
    while (thrown.size() < times) {
      try {
        Heddle.delay(LONG);
      } catch (Cancellation c) {
        assertThat(thrown.stream().noneMatch(before -> before == c)).as("a new object").isTrue();
        thrown.add(c);
      }
    }
    return true;
  }

  @Test
  void tryWithResources_whoseCloseOutlastsTheGracePeriod_endsAsCancelled() {
    Heddle.run(
        IMPATIENT,
        () -> {
          var worker =
              Heddle.spawn(() -> {
                try (AutoCloseable _ = () -> Heddle.delay(LONG)) {
                  Heddle.delay(LONG);
                }
                return 1;
              });
          Heddle.yieldNow();
          worker.cancel("stop");
          assertThatThrownBy(worker::await).isInstanceOf(Cancellation.class).hasMessage("stop");
        });
  }

  @Test
  void membersOfACancelledScope_areCancelledWithObjectsOfTheirOwn() {
    Set<Cancellation> met = Collections.newSetFromMap(new IdentityHashMap<>());
    Heddle.run(() ->
        Heddle.scope(s -> {
          for (int i = 0; i < 10; i++) {
            s.launch("member", () -> meet(met));
          }
          Heddle.yieldNow();
          s.cancel("all of you");
          return null;
        }));
    assertThat(met).hasSize(10);
    assertThat(met).allSatisfy(c -> assertThat(c).hasMessage("all of you"));
    assertThat(met.stream().map(Throwable::getCause).distinct()).hasSize(1);
  }

  private static void meet(Set<Cancellation> met) {
    try {
      Heddle.delay(LONG);
    } catch (Cancellation c) {
      met.add(c);
      throw c;
    }
  }

  @Test
  void cancelWithASubclass_thatSaysHowToRepeatIt_arrivesAsThatInMembers() {
    Heddle.run(() -> {
      var outer =
          Heddle.spawn(() ->
              Heddle.scope(s -> {
                s.launch(
                    "member",
                    () -> {
                      log.add("waits");
                      try {
                        Heddle.delay(LONG);
                      } catch (Evicted e) {
                        log.add(e.getMessage());
                        throw e;
                      }
                    });
                Heddle.delay(LONG);
                return null;
              }));
      until(() -> log.contains("waits"));
      outer.cancel(new Evicted());
      assertThatThrownBy(outer::await).isInstanceOf(Evicted.class);
    });
    assertThat(log).containsExactly("waits", "evicted");
  }

  private static final class Evicted extends Cancellation {
    private static final long serialVersionUID = 1;

    Evicted() {
      super("evicted");
    }

    @Override
    public Cancellation again() {
      return new Evicted();
    }
  }

  @Test
  void exceptionWhoseCauseCannotBeAsked_inACancelledCoroutine_isAFailureLikeAnother() {
    Heddle.run(() -> {
      Heddle.launch(
          "other",
          () -> {
            try {
              Heddle.delay(Duration.ofMillis(1));
            } finally {
              log.add("other ends");
            }
          });
      Heddle.supervise(s -> {
        var bad =
            s.spawn(() -> {
              try {
                Heddle.delay(LONG);
              } finally {
                throwHostile();
              }
            });
        Heddle.yieldNow();
        bad.cancel("x");
        assertThatThrownBy(bad::await).isInstanceOf(Hostile.class);
        return null;
      });
    });
    assertThat(log).containsExactly("other ends");
  }

  private static void throwHostile() {
    throw new Hostile();
  }

  private static final class Hostile extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized Throwable getCause() {
      throw new IllegalStateException("no cause for you");
    }
  }

  // ---- waits of the JDK's ----

  @Test
  void waitOfTheJdk_afterTheGracePeriod_isInterruptedEachTime() {
    LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();
    Heddle.run(
        IMPATIENT,
        () -> {
          var worker =
              Heddle.spawn(() -> {
                while (log.size() < 4) {
                  try {
                    queue.take();
                  } catch (InterruptedException e) {
                    log.add("interrupted");
                  }
                }
              });
          until(worker::isSuspended);
          worker.cancel("stop");
          assertThatThrownBy(worker::await).hasMessage("stop");
        });
    assertThat(log).hasSize(4);
  }

  @Test
  void lock_whoseWaiterIsCancelled_isTakenAndTheNextWaitThrows() throws Exception {
    ReentrantLock lock = new ReentrantLock();
    CompletableFuture<Void> letGo = new CompletableFuture<>();
    CountDownLatch held = new CountDownLatch(1);
    Thread holder = Thread.ofPlatform().start(() -> hold(lock, held, letGo));
    held.await();
    Heddle.run(() -> {
      var waits =
          Heddle.spawn(() -> {
            lock.lock();
            log.add("locked, interrupted: " + Thread.currentThread().isInterrupted());
            lock.unlock();
            try {
              Heddle.delay(LONG);
            } finally {
              Heddle.delay(Duration.ofMillis(1));
              log.add("cleaned up");
            }
          });
      until(waits::isSuspended);
      waits.cancel("stop");
      Heddle.delay(Duration.ofMillis(1));
      letGo.complete(null);
      assertThatThrownBy(waits::await).hasMessage("stop");
    });
    holder.join();
    assertThat(log).containsExactly("locked, interrupted: false", "cleaned up");
  }

  private static void hold(ReentrantLock lock, CountDownLatch held, CompletableFuture<Void> until) {
    lock.lock();
    held.countDown();
    until.join();
    lock.unlock();
  }

  // ---- within ----

  @Test
  @Tag("loop-321")
  void within_whoseBodySwallowsTheCutAndReturns_throwsAllTheSame() {
    LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.withTimeout(
                    Duration.ofMillis(5),
                    () -> {
                      try {
                        return queue.poll(1, TimeUnit.HOURS);
                      } catch (Exception e) {
                        log.add("swallowed");
                      }
                      Heddle.delay(Duration.ofMillis(1));
                      log.add("went on");
                      return "a value";
                    }))
            .isInstanceOf(DeadlineException.class)
            .hasMessageContaining("continued to its end"));
    assertThat(log).containsExactly("swallowed", "went on");
  }

  @Test
  @Tag("loop-321")
  void withinAToken_whoseBodySwallowsTheCutAndReturns_throwsAllTheSame() {
    Heddle.run(() -> {
      var token = Heddle.<Integer>promise("token");
      Heddle.launch("fires it", () -> token.complete(1));
      assertThatThrownBy(() ->
              Heddle.cancelWhen(
                  token.future(),
                  () -> {
                    try {
                      Heddle.delay(LONG);
                    } catch (Cancellation c) {
                      log.add("swallowed");
                    }
                    return "a value";
                  }))
          .isInstanceOf(WaitCancelledException.class);
    });
    assertThat(log).containsExactly("swallowed");
  }

  @Test
  @Tag("loop-321")
  void within_inACancelledCoroutine_leavesTheInterruptToTheCancellation() {
    Heddle.run(() -> {
      var limit = Heddle.<Integer>promise("limit");
      var worker =
          Heddle.spawn(() -> {
            try {
              Heddle.cancelWhen(limit.future(), () -> Thread.sleep(LONG));
            } catch (WaitCancelledException e) {
              log.add("the limit took it");
            }
          });
      until(worker::isSuspended);
      worker.cancel("stop");
      limit.complete(1);
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).isEmpty();
  }

  @Test
  void limitThatIsOverBesideACancellation_isCoveredByIt_andItsCleanUpWaits() {
    Heddle.run(() -> {
      var limit = Heddle.<Integer>promise("limit");
      var worker =
          Heddle.spawn(() ->
              Heddle.cancelWhen(
                  limit.future(),
                  () -> {
                    try {
                      Heddle.delay(LONG);
                    } finally {
                      Heddle.delay(Duration.ofMillis(1));
                      log.add("cleaned up");
                    }
                  }));
      until(worker::isSuspended);
      limit.complete(1);
      worker.cancel("stop");
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("cleaned up");
  }

  @Test
  @Tag("loop-321")
  void checkCancelled_inABroadCatch_tellsTheCutFromAFailure() {
    LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.withTimeout(
                    Duration.ofMillis(5),
                    () -> {
                      while (true) {
                        try {
                          return queue.take();
                        } catch (Exception e) {
                          log.add("caught");
                          Heddle.checkCancelled();
                        }
                      }
                    }))
            .isInstanceOf(DeadlineException.class)
            .hasCauseInstanceOf(Cancellation.class));
    assertThat(log).containsExactly("caught");
  }

  @Test
  void checkCancelled_askedAgainInTheCleanUp_throwsOnce() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            try {
              Thread.sleep(LONG);
            } catch (InterruptedException e) {
              assertThatThrownBy(Heddle::checkCancelled).hasMessage("stop");
              Heddle.checkCancelled();
              Heddle.delay(Duration.ofMillis(1));
              log.add("cleaned up");
            }
          });
      until(worker::isSuspended);
      worker.cancel("stop");
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("cleaned up");
  }

  // ---- code that computes ----

  @Test
  @Tag("loop-292")
  void checkCancelled_inCodeThatOnlyComputes_findsTheDeadline() {
    Heddle.run(() ->
        assertThatThrownBy(
                () -> Heddle.withTimeout(Duration.ofMillis(5), CancelledAgainTest::compute))
            .isInstanceOf(DeadlineException.class));
  }

  @SuppressWarnings("InfiniteLoopStatement") // until it is cancelled
  private static void compute() {
    while (true) {
      Heddle.checkCancelled();
    }
  }

  @Test
  @Tag("loop-292")
  void checkCancelled_inCodeThatOnlyComputes_findsTheShutdownOfAnotherThread() {
    AtomicBoolean asked = new AtomicBoolean();
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Loop<?> loop = Loop.current();
              Thread.ofPlatform()
                  .start(() -> {
                    loop.shutdown(Duration.ofMinutes(1));
                    asked.set(true);
                  });
              compute();
            }))
        .isInstanceOf(Cancellation.class);
    assertThat(asked).isTrue();
  }

  // ---- reports ----

  @Test
  void coroutineThatGoesOnAfterTheGracePeriod_isReportedOncePerPlace() {
    List<String> reports;
    try (Reports told = new Reports()) {
      Heddle.run(
          IMPATIENT,
          () -> {
            for (int i = 0; i < 3; i++) {
              List<Cancellation> thrown = new ArrayList<>();
              var worker = Heddle.spawn("stubborn", () -> collect(thrown, 3));
              Heddle.yieldNow();
              worker.cancel("stop");
              assertThatThrownBy(worker::await).hasMessage("stop");
            }
          });
      reports = told.messages();
    }
    assertThat(reports.stream().filter(r -> r.contains("longer than the grace period")))
        .singleElement()
        .asString()
        .contains("'stubborn'", "was cancelled (stop)", "checkCancelled");
  }
}
