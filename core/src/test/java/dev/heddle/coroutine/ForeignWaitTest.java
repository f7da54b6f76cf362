// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Cancelling coroutines that wait on something of the JDK's.
@Timeout(300)
@Tag("trap-61")
class ForeignWaitTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final List<String> log = new ArrayList<>();

  @Test
  void cancel_ofOneInAForeignWait_interruptsItAndIsTheOutcome() {
    Cancellation stop = new Cancellation("stop");
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            Thread.sleep(LONG);
            return 1;
          });
      Heddle.yieldNow();
      worker.cancel(stop);
      assertThatThrownBy(worker::await).isSameAs(stop);
    });
  }

  @Test
  @Tag("trap-17")
  @Tag("loop-320")
  void interrupt_thatIsSwallowed_hasDeliveredTheCancellation() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            try {
              new LinkedBlockingQueue<String>().take();
            } catch (InterruptedException e) {
              log.add("interrupted");
            }
            Heddle.yieldNow();
            log.add("went on");
            return 1;
          });
      Heddle.yieldNow();
      worker.cancel("stop");
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("interrupted", "went on");
  }

  @Test
  void limit_thatCutsAForeignWait_throwsADeadlineException() {
    Heddle.run(() -> {
      assertThatThrownBy(() ->
              Heddle.withTimeout(
                  Duration.ofMillis(2),
                  () -> {
                    Thread.sleep(LONG);
                    return 1;
                  }))
          .isInstanceOf(DeadlineException.class);
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
    });
  }

  /// As database drivers do: what the interrupt did to them is the cause of what they throw.
  @Test
  void limit_thatCutsALibraryThatWrapsTheInterrupt_throwsADeadlineException() {
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.withTimeout(
                    Duration.ofMillis(2),
                    () -> {
                      try {
                        Thread.sleep(LONG);
                        return 1;
                      } catch (InterruptedException e) {
                        throw new IOException("the connection failed", e);
                      }
                    }))
            .isInstanceOf(DeadlineException.class));
  }

  @Test
  void cancel_ofAForeignWaitInsideBlocks_isTheOutcomeAllTheSame() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() ->
              Heddle.scope(s ->
                  Heddle.withTimeout(
                      LONG,
                      () -> {
                        Thread.sleep(LONG);
                        return 1;
                      })));
      Heddle.yieldNow();
      worker.cancel("stop");
      assertThatThrownBy(worker::await).isInstanceOf(Cancellation.class).hasMessage("stop");
    });
  }

  @Test
  @Tag("trap-17")
  void outerLimit_thatCutsAForeignWaitInsideAnInnerOne_throwsAtTheOuter() {
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.withTimeout(
                    Duration.ofMillis(2),
                    () ->
                        Heddle.withTimeout(
                            LONG,
                            () -> {
                              Thread.sleep(LONG);
                              return 1;
                            })))
            .isInstanceOf(DeadlineException.class)
            .hasMessageContaining("0.002S"));
  }

  @Test
  void failureOfAScope_interruptsTheForeignWaitOfAMember() {
    IllegalStateException failure = new IllegalStateException("x");
    assertThatThrownBy(() ->
            Heddle.run(() ->
                Heddle.scope(s -> {
                  s.launch(
                      "waits",
                      () -> {
                        try {
                          new CountDownLatch(1).await();
                        } finally {
                          log.add("woken");
                        }
                      });
                  Heddle.yieldNow();
                  throw failure;
                })))
        .isSameAs(failure);
    assertThat(log).containsExactly("woken");
  }

  @Test
  void foreignWait_inTheGracePeriod_isNotInterrupted() {
    CountDownLatch mayGo = new CountDownLatch(1);
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            try {
              Heddle.delay(LONG);
            } finally {
              log.add("cleaning up");
              mayGo.await();
              log.add("slept");
            }
            return 1;
          });
      Heddle.yieldNow();
      worker.cancel("stop");
      while (log.isEmpty()) {
        Heddle.yieldNow();
      }
      Heddle.yieldNow(); // an interrupt would be sent before this
      mayGo.countDown();
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("cleaning up", "slept");
  }

  @Test
  void foreignWait_insideProtect_isNotInterrupted() {
    LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() ->
              Heddle.shield(() -> {
                log.add(String.valueOf(queue.poll(1, TimeUnit.HOURS)));
                return 1;
              }));
      Heddle.yieldNow();
      worker.cancel("stop");
      Heddle.delay(Duration.ofMillis(2));
      queue.add("item");
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("item");
  }

  @Test
  @Tag("trap-62")
  void interruptOfACancelledCoroutine_doesNotReachTheNextOneOnItsContext() {
    Heddle.run(() -> {
      for (int i = 0; i < 50; i++) {
        var worker =
            Heddle.spawn(() -> {
              Thread.sleep(LONG);
              return 1;
            });
        Heddle.yieldNow();
        worker.cancel("stop");
        assertThatThrownBy(worker::await).hasMessage("stop");
        var next =
            Heddle.spawn(() -> {
              boolean interrupted = Thread.currentThread().isInterrupted();
              Thread.sleep(0, 1_000); // itself the wait that an interrupt left over would end
              return interrupted;
            });
        assertThat(next.await()).isFalse();
      }
    });
  }

  @Test
  void offloadedCall_whoseCoroutineIsCancelled_isInterruptedAndNotAwaited() {
    CountDownLatch interrupted = new CountDownLatch(1);
    CountDownLatch began = new CountDownLatch(1);
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() ->
              Heddle.offload(() -> {
                began.countDown();
                try {
                  Thread.sleep(LONG);
                } catch (InterruptedException e) {
                  interrupted.countDown();
                }
                return 1;
              }));
      began.await();
      worker.cancel("stop");
      assertThatThrownBy(worker::await).hasMessage("stop");
      interrupted.await();
    });
  }

  @Test
  void offloadedCall_thatIsInterruptedItself_failsTheCoroutineOnly() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var worker =
              s.spawn(() ->
                  Heddle.offload(() -> {
                    Thread.currentThread().interrupt();
                    Thread.sleep(LONG);
                    return 1;
                  }));
          assertThatThrownBy(worker::await)
              .isInstanceOf(dev.heddle.CoroutineException.class)
              .hasCauseInstanceOf(InterruptedException.class);
          return null;
        }));
  }

  private String sleepAndCleanUp(CountDownLatch mayGo) throws InterruptedException {
    try {
      Thread.sleep(LONG);
      return "slept";
    } finally {
      log.add("cleaning up");
      mayGo.await();
      log.add("cleaned up");
    }
  }

  @Test
  void cleanUpThatWaitsInTheJdk_isNotInterruptedAgain() {
    CountDownLatch mayGo = new CountDownLatch(1);
    Heddle.run(() -> {
      var worker = Heddle.spawn(() -> sleepAndCleanUp(mayGo));
      Heddle.yieldNow();
      worker.cancel("stop");
      Heddle.delay(Duration.ofMillis(25)); // longer than the pause between two interrupts
      assertThat(log).containsExactly("cleaning up");
      mayGo.countDown();
      assertThatThrownBy(worker::await).hasMessage("stop");
      assertThat(Heddle.counters().timers()).isZero();
    });
    assertThat(log).containsExactly("cleaning up", "cleaned up");
  }

  @Test
  void cleanUpAfterALimit_isInterruptedForTheCancellationThatFollows() {
    CountDownLatch never = new CountDownLatch(1);
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(
              () -> Heddle.withTimeout(Duration.ofMillis(1), () -> sleepAndCleanUp(never)));
      while (log.isEmpty()) {
        Heddle.yieldNow();
      }
      worker.cancel("stop");
      assertThatThrownBy(worker::await).isInstanceOf(Cancellation.class).hasMessage("stop");
    });
    assertThat(log).containsExactly("cleaning up");
  }

  @Test
  void foreignWaits_afterTheGracePeriod_areInterruptedEach() {
    HeddleOptions impatient = HeddleOptions.defaults().withGracePeriod(Duration.ofMillis(2));
    int[] interrupts = new int[1];
    Heddle.run(
        impatient,
        () -> {
          var worker =
              Heddle.spawn(() -> {
                try {
                  Heddle.delay(LONG);
                } catch (Cancellation c) {
                  log.add("delivered");
                }
                for (int i = 0; i < 3; i++) {
                  try {
                    Thread.sleep(LONG);
                  } catch (InterruptedException e) {
                    interrupts[0]++;
                  }
                }
                return 1;
              });
          Heddle.yieldNow();
          worker.cancel("stop");
          assertThatThrownBy(worker::await).hasMessage("stop");
        });
    assertThat(interrupts[0]).isEqualTo(3);
  }

  @Test
  void foreignWait_enteredWithACancellationPending_isInterrupted() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            Heddle.current().cancel("stop");
            try {
              Thread.sleep(LONG);
              log.add("slept");
            } catch (InterruptedException e) {
              log.add("interrupted");
              throw e;
            }
            return 1;
          });
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("interrupted");
  }

  // ---- waits that are not to be interrupted ----

  @Test
  void uninterruptedWait_ofACancelledCoroutine_endsByItselfAndTheNextWaitThrows() {
    LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            String item =
                Heddle.uninterruptibly(
                    () -> Heddle.uninterruptibly(() -> queue.poll(1, TimeUnit.HOURS)));
            log.add(String.valueOf(item));
            Heddle.yieldNow();
            log.add("went on");
            return 1;
          });
      Heddle.yieldNow();
      worker.cancel("stop");
      Heddle.delay(Duration.ofMillis(25)); // longer than the pause between two interrupts
      queue.add("item");
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("item");
  }

  @Test
  void uninterruptedBlock_begunWithAnInterruptUnderWay_doesNotSeeIt() {
    LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            try {
              queue.take();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt(); // as well-behaved code does
            }
            log.add(
                "interrupted "
                    + Heddle.uninterruptibly(() -> Thread.currentThread().isInterrupted()));
            return 1;
          });
      Heddle.yieldNow();
      worker.cancel("stop");
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("interrupted false");
  }

  @Test
  void foreignWaitAfterAnUninterruptedBlock_isInterrupted() {
    Heddle.run(() -> {
      var worker =
          Heddle.spawn(() -> {
            Heddle.current().cancel("stop");
            Heddle.uninterruptibly(() -> Thread.sleep(1));
            log.add("slept");
            Thread.sleep(LONG);
            return 1;
          });
      assertThatThrownBy(worker::await).hasMessage("stop");
    });
    assertThat(log).containsExactly("slept");
  }
}
