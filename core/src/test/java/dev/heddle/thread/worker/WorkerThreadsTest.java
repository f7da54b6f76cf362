// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.loop.LoopRuntime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How many threads there are, and what they do with the calls they get.
@Tag("T17")
@Timeout(300)
class WorkerThreadsTest {
  private static final long IDLE = TimeUnit.MINUTES.toNanos(1);

  private int ended;

  private WorkerThreads threads(int most, long idleNanos) {
    return threads(most, new PlainWorker(() -> {}), idleNanos);
  }

  private WorkerThreads threads(int most, WorkerBody body, long idleNanos) {
    return new WorkerThreads(
        CoroutineNode.current().scheduler(), "test", most, body, 0, () -> ended++, idleNanos);
  }

  private static OffloadedCall work(Callable<?> call) {
    return new OffloadedCall(CoroutineNode.current().scheduler(), "a test's call", call);
  }

  private static OffloadedCall submitted(WorkerThreads threads, Callable<?> call) {
    OffloadedCall offloadedCall = work(call);
    threads.submit(offloadedCall);
    return offloadedCall;
  }

  private static void end(WorkerThreads threads) {
    threads.finish();
    Heddle.await(threads.gone());
    assertThat(threads.live()).isZero();
  }

  @Test
  void finish_ofAGroupThatHadNoThread_isReportedToWhoWaited() {
    Heddle.run(() -> {
      WorkerThreads threads = threads(1, Long.MAX_VALUE);
      Coroutine<?> waiting = Heddle.spawn(() -> Heddle.await(threads.gone()));
      Heddle.yieldNow();
      threads.finish();
      waiting.await();
    });
  }

  // ---- how many ----

  @Test
  void offload_oneAfterTheOther_usesOneThread() {
    Set<Thread> used = new HashSet<>();
    Heddle.run(() -> {
      for (int i = 0; i < 100; i++) {
        used.add(Heddle.offload(Thread::currentThread));
      }
    });
    assertThat(used).hasSize(1);
  }

  @Test
  void offload_ofManyAtATime_usesSixtyFourThreadsAndThoseAgain() {
    Set<Thread> used = ConcurrentHashMap.newKeySet();
    Heddle.run(() -> {
      CountDownLatch all = new CountDownLatch(64);
      Heddle.scope(s -> {
        for (int i = 0; i < 100; i++) {
          s.spawn(() ->
              Heddle.offload(() -> {
                used.add(Thread.currentThread());
                all.countDown();
                all.await();
                return 1;
              }));
        }
        return null;
      });
      assertThat(used).hasSize(64);
      for (int i = 0; i < 100; i++) {
        used.add(Heddle.offload(Thread::currentThread));
      }
      assertThat(used).hasSize(64);
    });
  }

  @Test
  void threads_thatAreIdle_areUsedBeforeOthersAreStarted() {
    Heddle.run(() -> {
      WorkerThreads threads = threads(8, IDLE);
      for (int wave = 0; wave < 20; wave++) {
        List<OffloadedCall> running =
            IntStream.range(0, 3).mapToObj(i -> submitted(threads, () -> 1)).toList();
        running.forEach(offloadedCall -> Heddle.await(offloadedCall.done()));
        assertThat(threads.live()).isEqualTo(3);
      }
      assertThat(threads.outstanding()).isZero();
      assertThat(ended).isEqualTo(60);
      end(threads);
    });
  }

  @Test
  void calls_beyondTheThreads_areTakenInOrder() {
    Heddle.run(() -> {
      WorkerThreads threads = threads(1, IDLE);
      List<Integer> order = new ArrayList<>();
      List<OffloadedCall> works =
          IntStream.range(0, 10).mapToObj(i -> submitted(threads, () -> order.add(i))).toList();
      Heddle.await(works.getLast().done());
      assertThat(order).isEqualTo(IntStream.range(0, 10).boxed().toList());
      assertThat(threads.live()).isEqualTo(1);
      end(threads);
    });
  }

  @Test
  void calls_thatMeetThreadsOnTheirWayOut_areDoneAllTheSame() {
    Heddle.run(() -> {
      WorkerThreads impatient = threads(2, 1);
      for (int i = 0; i < 2_000; i++) {
        int expected = i;
        assertThat(Heddle.await(submitted(impatient, () -> expected).done())).isEqualTo(expected);
        assertThat(impatient.live()).isLessThanOrEqualTo(2);
      }
      end(impatient);
      assertThat(ended).isEqualTo(2_000);
    });
  }

  @Test
  void calls_ofThreadsThatFail_areTakenByOthers() {
    Heddle.run(() -> {
      // each thread ends after its first call, whatever is queued
      WorkerBody single = WorkerThreadsTest::runNext;
      WorkerThreads threads = threads(2, single, IDLE);
      List<OffloadedCall> works =
          IntStream.range(0, 50).mapToObj(i -> submitted(threads, () -> i)).toList();
      threads.finish();
      works.forEach(offloadedCall -> Heddle.await(offloadedCall.done()));
      Heddle.await(threads.gone());
      assertThat(ended).isEqualTo(50);
    });
  }

  private static boolean runNext(WorkerBody.Calls calls) {
    try {
      OffloadedCall call = calls.next(() -> true);
      if (call != null) {
        call.run();
      }
      return call != null;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void thread_thatEndsWhileAnotherRunsSeveralCalls_isNotReplaced() {
    Heddle.run(() -> {
      AtomicBoolean isFirst = new AtomicBoolean(true);
      BlockingQueue<Thread> others = new LinkedBlockingQueue<>();
      CountDownLatch go = new CountDownLatch(1);
      CountDownLatch taken = new CountDownLatch(1);
      WorkerBody body =
          calls -> {
            if (isFirst.getAndSet(false)) {
              runTwoAtOnce(calls, taken, go);
            } else {
              awaitUninterrupted(taken); // leaves all calls to the first one
              others.add(Thread.currentThread());
            }
          };
      WorkerThreads threads = threads(2, body, IDLE);
      OffloadedCall one = submitted(threads, () -> 1);
      OffloadedCall two = submitted(threads, () -> 2);
      Heddle.<Boolean>offload(() -> {
        others.take().join();
        return true;
      });
      Heddle.yieldNow();
      assertThat(threads.live()).isEqualTo(1);
      go.countDown();
      Heddle.await(one.done());
      Heddle.await(two.done());
      end(threads);
    });
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void runTwoAtOnce(
      WorkerBody.Calls calls, CountDownLatch taken, CountDownLatch go) {
    try {
      List<OffloadedCall> both = new ArrayList<>();
      while (both.size() < 2) {
        both.add(Objects.requireNonNull(calls.next(() -> false)));
      }
      taken.countDown();
      go.await();
      both.forEach(OffloadedCall::run);
      boolean more = true;
      while (more) {
        more = runNext(calls);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  // ---- cancelling ----

  @Test
  void cancel_ofAQueuedCall_keepsItFromBeginning() {
    Heddle.run(() -> {
      WorkerThreads threads = threads(1, IDLE);
      CountDownLatch go = new CountDownLatch(1);
      OffloadedCall running =
          submitted(
              threads,
              () -> {
                go.await();
                return 1;
              });
      ConcurrentLinkedQueue<String> begun = new ConcurrentLinkedQueue<>();
      OffloadedCall queued = submitted(threads, () -> begun.add("cancelled"));
      OffloadedCall last = submitted(threads, () -> begun.add("last"));
      Cancellation why = new Cancellation("not needed");
      threads.cancel(queued, why);
      assertThatThrownBy(() -> Heddle.await(queued.done())).isSameAs(why);
      assertThat(threads.outstanding()).isEqualTo(2);
      assertThat(ended).isEqualTo(1);
      go.countDown();
      Heddle.await(running.done());
      Heddle.await(last.done());
      assertThat(begun).containsExactly("last");
      end(threads);
      assertThat(ended).isEqualTo(3);
    });
  }

  @Test
  @Tag("trap-61")
  void cancel_ofACallThatRuns_interruptsItAndNotTheNext() {
    Heddle.run(() -> {
      WorkerThreads threads = threads(1, IDLE);
      for (int i = 0; i < 200; i++) {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        OffloadedCall running =
            submitted(
                threads,
                () -> {
                  begun.countDown();
                  never.await();
                  return 1;
                });
        begun.await();
        threads.cancel(running, new Cancellation("not needed"));
        OffloadedCall next = submitted(threads, () -> Thread.currentThread().isInterrupted());
        assertThatThrownBy(() -> Heddle.await(running.done())).isInstanceOf(Cancellation.class);
        assertThat(Heddle.await(next.done())).isEqualTo(false);
      }
      assertThat(threads.live()).isEqualTo(1);
      end(threads);
    });
  }

  @Test
  @Tag("trap-61")
  void cancel_ofACallThatEndsWithoutALookAtItsInterrupt_isNotSeenByTheNext() {
    Heddle.run(() -> {
      WorkerThreads threads = threads(1, IDLE);
      CountDownLatch begun = new CountDownLatch(1);
      OffloadedCall running =
          submitted(
              threads,
              () -> {
                begun.countDown();
                while (!Thread.currentThread().isInterrupted()) {
                  Thread.onSpinWait(); // and leaves the flag as it is
                }
                return 1;
              });
      // there already: a thread that had to wait for it would lose its flag in that wait
      OffloadedCall next = submitted(threads, () -> Thread.currentThread().isInterrupted());
      begun.await();
      threads.cancel(running, new Cancellation("not needed"));
      assertThat(Heddle.await(next.done())).isEqualTo(false);
      end(threads);
    });
  }

  @Test
  void refuseQueued_endsThemAndLeavesWhatRuns() {
    IllegalStateException why = new IllegalStateException("refused");
    Heddle.run(() ->
        Heddle.supervise(s -> {
          WorkerThreads threads = threads(1, IDLE);
          CountDownLatch begun = new CountDownLatch(1);
          CountDownLatch go = new CountDownLatch(1);
          OffloadedCall running =
              submitted(
                  threads,
                  () -> {
                    begun.countDown();
                    go.await();
                    return "done";
                  });
          begun.await();
          OffloadedCall queued = submitted(threads, () -> "not done");
          threads.finish();
          threads.refuseQueued(why);
          Coroutine<?> refused = s.spawn(() -> Heddle.await(queued.done()));
          assertThatThrownBy(refused::await).isSameAs(why);
          go.countDown();
          assertThat(Heddle.await(running.done())).isEqualTo("done");
          Heddle.await(threads.gone());
          return null;
        }));
  }

  // ---- the end ----

  @Test
  void submit_afterFinish_isRefused() {
    Heddle.run(() -> {
      WorkerThreads threads = threads(1, IDLE);
      end(threads);
      assertThatThrownBy(() -> threads.submit(work(() -> 1)))
          .isInstanceOf(IllegalStateException.class);
    });
  }

  @Test
  @Tag("trap-10")
  void wait_forTheLastThread_isNoDeadlock() {
    Heddle.run(() -> {
      WorkerThreads threads = threads(1, IDLE);
      CountDownLatch go = new CountDownLatch(1);
      submitted(
          threads,
          () -> {
            go.await();
            return 1;
          });
      Thread.ofPlatform().start(go::countDown);
      end(threads);
    });
  }

  @Test
  void loop_thatEnds_interruptsWhatItsThreadsDo() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    Heddle.run(() -> {
      WorkerThreads threads = LoopRuntime.current().blockingPools().open("test", 1, () -> ended++);
      submitted(
          threads,
          () -> {
            begun.countDown();
            try {
              new CountDownLatch(1).await();
            } finally {
              interrupted.countDown();
            }
            return 1;
          });
      begun.await();
    });
    interrupted.await();
    assertThat(interrupted.getCount()).isZero();
  }
}
