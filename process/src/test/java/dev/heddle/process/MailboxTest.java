// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Mailboxes that are full, policy by policy.
@Tag("P9")
@Tag("proc-214")
@Timeout(300)
class MailboxTest {
  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  // one process that takes nothing before it may
  private final CountDownLatch inStep = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final BlockingQueue<Object> got = Kit.queue();

  @AfterEach
  void end() {
    goOn.countDown();
    runtime.close();
  }

  private Pid slow(int bound, MailboxPolicy policy) throws InterruptedException {
    Pid pid =
        runtime.spawn(
            (events, out) -> {
              if (inStep.getCount() > 0) {
                inStep.countDown();
                goOn.await();
              }
              for (ProcessEvent event : events) {
                got.add(Objects.requireNonNull(event.data()));
                if ("end".equals(event.data())) {
                  out.done();
                }
              }
            },
            StartOptions.defaults().withMailbox(bound, policy));
    inStep.await();
    return pid;
  }

  private List<Object> take(int count) throws InterruptedException {
    List<Object> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(Kit.take(got));
    }
    return all;
  }

  // ---- dropping the oldest ----

  @Test
  void oldest_isDropped_andIsCounted() throws Exception {
    Pid pid = slow(3, MailboxPolicy.DROP_OLDEST);
    for (int i = 0; i < 10; i++) {
      assertThat(runtime.offer(pid, i)).isEqualTo(SendResult.ACCEPTED);
    }
    assertThat(Objects.requireNonNull(runtime.process(pid)).mailbox()).isEqualTo(3);
    assertThat(runtime.undelivered()).isEqualTo(7);
    goOn.countDown();
    assertThat(take(3)).containsExactly(7, 8, 9);
    runtime.send(pid, "more");
    assertThat(Kit.take(got)).isEqualTo("more");
  }

  @Test
  void request_thatIsDropped_fails() throws Exception {
    Pid pid = slow(1, MailboxPolicy.DROP_OLDEST);
    CompletableFuture<Object> answer = runtime.request(pid, "question");
    runtime.send(pid, "news");
    assertThatThrownBy(() -> Kit.get(answer))
        .hasCauseInstanceOf(SendFailedException.class)
        .hasMessageContaining("is full");
    goOn.countDown();
    assertThat(Kit.take(got)).isEqualTo("news");
  }

  @Test
  void oldest_givesNoWay_toWhatComesAfterTheEnd() throws Exception {
    Pid pid = slow(2, MailboxPolicy.DROP_OLDEST);
    var exit = runtime.whenExited(pid);
    runtime.send(pid, "lost");
    runtime.terminate(pid);
    goOn.countDown();
    Kit.get(exit);
    assertThat(runtime.offer(pid, "late")).isEqualTo(SendResult.NOT_FOUND);
    assertThat(runtime.undelivered()).isEqualTo(1);
  }

  private static Process sending(Pid to) {
    return CoroutineProcess.of(self -> {
      for (int i = 0; i < 200_000; i++) {
        self.context().send(to, i);
        if (i % 50 == 0) {
          Thread.yield();
        }
      }
      return null;
    });
  }

  /// A body that waited for the lock of the mailbox needed a worker, and the only one waited for
  /// the lock behind it.
  @Test
  void bodiesAndAThread_thatSendToAMailboxThatDrops_leaveTheirWorkerToTheReceiver()
      throws Exception {
    try (ProcessRuntime single = ProcessRuntime.builder().workers(1).start()) {
      Pid sink =
          single.spawn(
              Kit.resting(), StartOptions.defaults().withMailbox(8, MailboxPolicy.DROP_OLDEST));
      List<CompletableFuture<Exit>> bodies =
          List.of(
              single.whenExited(single.spawn(sending(sink))),
              single.whenExited(single.spawn(sending(sink))));
      while (!bodies.stream().allMatch(CompletableFuture::isDone)) {
        single.send(sink, "from outside");
        assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      }
      for (CompletableFuture<Exit> body : bodies) {
        assertThat(Kit.get(body).reason()).isEqualTo(Exit.Reason.NORMAL);
      }
    }
  }

  @Test
  void body_thatMeetsTheLockOfAMailboxThatDrops_doesNotPark() throws Exception {
    Class<?> type = ShortageLoader.ofLanes().loadClass(ShortageOfLocks.class.getName());
    Callable<?> scenario = (Callable<?>) type.getDeclaredConstructor().newInstance();
    assertThat(scenario.call()).isEqualTo(Thread.State.RUNNABLE);
  }

  private static String carrier() {
    String thread = Thread.currentThread().toString();
    return thread.substring(thread.lastIndexOf('@') + 1);
  }

  /// Waits for another thread; counts when that brings the body to another worker.
  private static void wait(ExecutorService outside, AtomicInteger moved) {
    String before = carrier();
    CompletableFuture.runAsync(() -> {}, outside).join();
    if (!carrier().equals(before)) {
      moved.incrementAndGet();
    }
  }

  private Process displacing(Pid sink, Runnable whenDisplaced, BooleanSupplier isDone) {
    return CoroutineProcess.of(self -> {
      while (!isDone.getAsBoolean()) {
        CompletableFuture<?> reply = runtime.request(sink, "gives way");
        var _ =
            reply.exceptionally(_ -> {
              whenDisplaced.run();
              return null;
            });
        self.context().send(sink, "takes its place");
      }
      return null;
    });
  }

  /// It put the receiver into the deque of the worker that it had left.
  @Test
  @Tag("P5")
  void bodyThatWaitsWhenItHearsOfWhomItDisplaced_wakesTheReceiverFromWhereItIsThen()
      throws Exception {
    AtomicInteger moved = new AtomicInteger();
    try (ExecutorService outside = Executors.newSingleThreadExecutor()) {
      Pid sink =
          runtime.spawn(
              Kit.resting(), StartOptions.defaults().withMailbox(1, MailboxPolicy.DROP_OLDEST));
      Pid body =
          runtime.spawn(displacing(sink, () -> wait(outside, moved), () -> moved.get() >= 20));
      assertThat(Kit.exit(runtime, body).reason()).isEqualTo(Exit.Reason.NORMAL);
    }
  }

  @Test
  void manySenders_ofAMailboxThatDrops_areEachCountedOrSeen() throws Exception {
    int each = 20_000;
    AtomicInteger seen = new AtomicInteger();
    Pid pid =
        runtime.spawn(
            (events, _) -> seen.addAndGet(events.size()),
            StartOptions.defaults().withMailbox(8, MailboxPolicy.DROP_OLDEST));
    List<Thread> senders = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      senders.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < each; i++) {
                  runtime.send(pid, i);
                }
              }));
    }
    for (Thread sender : senders) {
      sender.join();
    }
    while (seen.get() + runtime.undelivered() < 4L * each) {
      Thread.onSpinWait();
    }
    assertThat(seen.get() + runtime.undelivered()).isEqualTo(4L * each);
  }

  // ---- suspending the sender ----

  @Test
  void coroutine_waitsForRoom_andLosesNothing() throws Exception {
    Pid pid = slow(2, MailboxPolicy.SUSPEND);
    int count = 500;
    Heddle.run(() -> {
      AtomicInteger sent = new AtomicInteger();
      Coroutine<?> sender =
          Heddle.spawn(() -> {
            for (int i = 0; i < count; i++) {
              runtime.send(pid, i);
              sent.incrementAndGet();
            }
            return null;
          });
      while (sent.get() < 2) {
        Heddle.yieldNow();
      }
      assertThat(runtime.offer(pid, "no")).isEqualTo(SendResult.FULL);
      goOn.countDown();
      sender.await();
      return null;
    });
    List<Object> all = take(count);
    for (int i = 0; i < count; i++) {
      assertThat(all.get(i)).isEqualTo(i);
    }
  }

  @Test
  void body_waitsForRoom_andHoldsNoWorker() throws Exception {
    Pid pid = slow(1, MailboxPolicy.SUSPEND); // holds one of two workers
    CountDownLatch begun = new CountDownLatch(1);
    for (int s = 0; s < 4; s++) {
      runtime.spawn(
          CoroutineProcess.of(self -> {
            for (int i = 0; i < 50; i++) {
              self.context().send(pid, i);
              begun.countDown();
            }
            return null;
          }));
    }
    begun.await();
    Pid other = runtime.spawn(Kit.untilMessage());
    var exit = runtime.whenExited(other);
    runtime.send(other, "served");
    assertThat(Kit.get(exit).result()).isEqualTo("served");
    goOn.countDown();
    assertThat(take(200)).hasSize(200);
  }

  @Test
  void step_andForeignThread_areRefused() throws Exception {
    Pid pid = slow(1, MailboxPolicy.SUSPEND);
    runtime.send(pid, "fits");
    assertThatThrownBy(() -> runtime.send(pid, "x"))
        .isInstanceOf(SendFailedException.class)
        .hasMessageContaining("is full");
    CompletableFuture<SendResult> refused = new CompletableFuture<>();
    runtime.spawn(
        Kit.process((self, _, out) -> {
          try {
            self.send(pid, "x");
          } catch (SendFailedException e) {
            refused.complete(e.result());
          }
          out.done();
        }));
    assertThat(Kit.get(refused)).isEqualTo(SendResult.FULL);
  }

  @Test
  void waitForRoom_endsWithTheReceiver() throws Exception {
    Pid pid = slow(1, MailboxPolicy.SUSPEND);
    runtime.send(pid, "never seen");
    Throwable thrown =
        failedSend(
            pid,
            () -> {
              runtime.terminate(pid);
              goOn.countDown();
            });
    assertThat(thrown).hasMessageContaining("process not found");
    assertThat(got).isEmpty();
  }

  @Test
  @Tag("proc-208")
  void waitForRoom_endsWithAShutdown_alsoOfAReceiverThatIsAbandoned() throws Exception {
    Pid pid = slow(1, MailboxPolicy.SUSPEND);
    runtime.send(pid, "never seen");
    Throwable thrown =
        failedSend(pid, () -> Thread.ofPlatform().start(() -> runtime.shutdown(Duration.ZERO)));
    assertThat(thrown).hasMessageContaining("shut down");
  }

  @Test
  void bodyThatSendsToItself_isRefusedWhenItIsFull_ratherThanWaitForItself() {
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              Pid me = self.context().self();
              self.context().send(me, "fits");
              try {
                self.context().send(me, "too much");
                return "it was accepted";
              } catch (SendFailedException e) {
                return e.result();
              }
            }),
            StartOptions.defaults().withMailbox(1, MailboxPolicy.SUSPEND));
    assertThat(Kit.exit(runtime, pid).result()).isEqualTo(SendResult.FULL);
  }

  /// What a send of a coroutine's fails with that waits for room meanwhile.
  private Throwable failedSend(Pid to, Runnable meanwhile) {
    return Heddle.run(() -> {
      Coroutine<Throwable> waiting =
          Heddle.spawn(() -> {
            try {
              runtime.send(to, "too much");
              return new AssertionError("it was accepted");
            } catch (SendFailedException e) {
              return e;
            }
          });
      Heddle.yieldNow();
      meanwhile.run();
      return waiting.await();
    });
  }

  @Test
  void waitForRoom_isCancelled_andNothingIsSent() throws Exception {
    Pid pid = slow(1, MailboxPolicy.SUSPEND);
    runtime.send(pid, "first");
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Heddle.run(() -> {
      Coroutine<?> waiting =
          Heddle.spawn(() -> {
            try {
              runtime.send(pid, "never");
              return null;
            } catch (Cancellation c) {
              thrown.complete(c);
              throw c;
            }
          });
      Heddle.yieldNow();
      waiting.cancel("enough");
      return null;
    });
    assertThat(Kit.get(thrown)).isInstanceOf(Cancellation.class);
    goOn.countDown();
    assertThat(Kit.take(got)).isEqualTo("first");
    runtime.send(pid, "last");
    assertThat(Kit.take(got)).isEqualTo("last");
  }
}
