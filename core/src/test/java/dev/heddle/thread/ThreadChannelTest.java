// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.ChannelClosedException.Reason;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.LoopEndedException;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Reports;
import dev.heddle.coroutine.Switch;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("loop-278")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThreadChannelTest {
  private static <T> FutureTask<T> onThread(java.util.concurrent.Callable<T> body) {
    FutureTask<T> task = new FutureTask<>(body);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  private static Throwable failureOf(java.util.concurrent.Future<?> future)
      throws InterruptedException {
    try {
      throw new AssertionError("succeeded with " + future.get());
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  private static void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }

  private static void untilInCoroutine(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Heddle.yieldNow();
    }
  }

  private static boolean hasWaiting(ThreadChannel<?> channel, int sending, int receiving) {
    return channel.info().contains(sending + " sending, " + receiving + " receiving");
  }

  // ---- between threads and loops ----

  @Test
  void items_ofAThread_reachACoroutineInOrder() {
    List<Integer> received =
        Heddle.run(() -> {
          ThreadChannel<Integer> channel = ThreadChannel.of(2);
          var _ =
              onThread(() -> {
                for (int i = 0; i < 100; i++) {
                  channel.send(i); // blocks while it is full
                }
                channel.close();
                return true;
              });
          List<Integer> all = new ArrayList<>();
          for (int item : channel) {
            all.add(item);
          }
          return all;
        });
    assertThat(received).hasSize(100).isSorted().startsWith(0).endsWith(99);
  }

  @Test
  void items_ofACoroutine_reachAThreadInOrder_whileOthersRun() {
    Heddle.run(() -> {
      ThreadChannel<Integer> channel = ThreadChannel.of(1);
      Coroutine<?> sender =
          Heddle.spawn(() -> {
            for (int i = 0; i < 100; i++) {
              channel.send(i);
            }
            channel.close();
          });
      untilInCoroutine(() -> hasWaiting(channel, 1, 0)); // this one runs meanwhile
      FutureTask<List<Integer>> received =
          onThread(() -> {
            List<Integer> all = new ArrayList<>();
            channel.forEach(all::add);
            return all;
          });
      sender.await();
      assertThat(received.get()).hasSize(100).isSorted();
    });
  }

  @Test
  void items_ofOneLoop_reachAnother() throws Exception {
    ThreadChannel<Integer> channel = ThreadChannel.of(3);
    Loop<Integer> sender =
        Loop.start(() -> {
          for (int i = 0; i < 1_000; i++) {
            channel.send(i);
          }
          channel.close();
          return 1_000;
        });
    Loop<Integer> receiver =
        Loop.start(() -> {
          int next = 0;
          for (int item : channel) {
            assertThat(item).isEqualTo(next++);
          }
          return next;
        });
    assertThat(receiver.join()).isEqualTo(sender.join());
  }

  @Test
  void wait_forAThread_isNoDeadlock() {
    Heddle.run(() -> {
      ThreadChannel<Integer> channel = ThreadChannel.of(1);
      CountDownLatch waits = new CountDownLatch(1);
      var _ =
          onThread(() -> {
            waits.await();
            channel.send(42);
            return true;
          });
      waits.countDown();
      assertThat(channel.receive()).isEqualTo(42);
    });
  }

  @Test
  void capacity_withoutBound_takesOnlyTheMemoryOfItsItems() {
    ThreadChannel<Integer> channel = ThreadChannel.of(Integer.MAX_VALUE);
    for (int i = 0; i < 40; i++) {
      channel.send(i);
    }
    for (int i = 0; i < 30; i++) {
      assertThat(channel.receive()).isEqualTo(i);
    }
    for (int i = 40; i < 500; i++) {
      channel.send(i); // it grows where the items do not begin at the first slot
    }
    for (int i = 30; i < 500; i++) {
      assertThat(channel.receive()).isEqualTo(i);
    }
    assertThat(channel.capacity()).isEqualTo(Integer.MAX_VALUE);
    assertThat(channel.isEmpty()).isTrue();
  }

  @Test
  void capacity_isAtLeastOne_andItemsAreNotNull() {
    assertThatThrownBy(() -> ThreadChannel.of(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a capacity of 0");
    ThreadChannel<Integer> channel = ThreadChannel.of(1);
    Integer nothing = null;
    assertThatThrownBy(() -> channel.send(nothing)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> channel.trySend(nothing)).isInstanceOf(NullPointerException.class);
    assertThat(channel.isEmpty()).isTrue();
  }

  /// Values cross by reference, so null is the only one that cannot be sent.
  @Test
  @Tag("loop-280")
  void itemThatCannotBeSent_isRefused_andChangesNothing() {
    ThreadChannel<Integer> channel = ThreadChannel.of(2);
    channel.send(1);
    Integer nothing = null;
    assertThatThrownBy(() -> channel.send(nothing)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> channel.trySend(nothing)).isInstanceOf(NullPointerException.class);
    assertThat(channel.size()).isEqualTo(1);
    assertThat(channel.trySend(2)).isTrue();
    assertThat(channel.receive()).isEqualTo(1);
    assertThat(channel.receive()).isEqualTo(2);
    assertThat(channel.info()).contains("0 sending, 0 receiving");
  }

  @Test
  void trying_neverWaits() {
    ThreadChannel<Integer> channel = ThreadChannel.of(2);
    assertThat(channel.tryReceive()).isNull();
    assertThat(channel.trySend(1) && channel.trySend(2)).isTrue();
    assertThat(channel.trySend(3)).isFalse();
    assertThat(channel.isFull()).isTrue();
    assertThat(channel.capacity()).isEqualTo(2);
    assertThat(channel.tryReceive()).isEqualTo(1);
    assertThat(channel.size()).isEqualTo(1);
  }

  @Test
  void peers_areServedInTheOrderOfArrival_whateverTheyAre() {
    Heddle.run(() -> {
      ThreadChannel<Integer> channel = ThreadChannel.of(1);
      FutureTask<Integer> first = onThread(channel::receive);
      untilInCoroutine(() -> hasWaiting(channel, 0, 1));
      Coroutine<Integer> second = Heddle.spawn(() -> channel.receive());
      untilInCoroutine(() -> hasWaiting(channel, 0, 2));
      FutureTask<Integer> third = onThread(channel::receive);
      untilInCoroutine(() -> hasWaiting(channel, 0, 3));
      for (int i = 1; i <= 3; i++) {
        channel.send(i);
      }
      assertThat(first.get()).isEqualTo(1);
      assertThat(second.await()).isEqualTo(2);
      assertThat(third.get()).isEqualTo(3);
    });
  }

  // ---- waits that end otherwise ----

  @Test
  void deadline_endsAWaitOfAThread_andSendsNothing() {
    ThreadChannel<Integer> channel = ThreadChannel.of("jobs", 1);
    Deadline soon = Deadline.after(Duration.ofMillis(1));
    assertThatThrownBy(() -> channel.receive(soon))
        .isInstanceOf(DeadlineException.class)
        .hasMessageContaining("the thread channel 'jobs'");
    channel.send(1);
    assertThatThrownBy(() -> channel.send(2, Deadline.after(Duration.ofMillis(1))))
        .isInstanceOf(DeadlineException.class);
    assertThat(channel.info())
        .isEqualTo("the thread channel 'jobs' with 1 of 1 item, 0 sending, 0 receiving");
    assertThat(channel.receive()).isEqualTo(1);
    assertThat(channel.tryReceive()).isNull();
  }

  @Test
  void deadlineAndToken_endAWaitOfACoroutine() {
    Heddle.run(() -> {
      ThreadChannel<Integer> channel = ThreadChannel.of(1);
      assertThatThrownBy(() -> channel.receive(Deadline.after(Duration.ofMillis(1))))
          .isInstanceOf(DeadlineException.class);
      Promise<Integer> token = new Promise<>();
      Coroutine<Integer> waiting = Heddle.spawn(() -> channel.receive(token.future()));
      untilInCoroutine(() -> hasWaiting(channel, 0, 1));
      token.complete(1);
      assertThatThrownBy(waiting::await).isInstanceOf(WaitCancelledException.class);
      channel.send(1);
      assertThatThrownBy(() -> channel.send(2, Deadline.after(Duration.ofMillis(1))))
          .isInstanceOf(DeadlineException.class);
      assertThat(hasWaiting(channel, 0, 0)).isTrue();
    });
  }

  @Test
  void token_onAThread_isRefused() {
    ThreadChannel<Integer> channel = ThreadChannel.of(1);
    var token =
        Heddle.run(() -> {
          return new Promise<Integer>().future();
        });
    assertThatThrownBy(() -> channel.receive(token)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void interrupt_endsAWaitOfAThread() throws Exception {
    ThreadChannel<Integer> channel = ThreadChannel.of(1);
    AtomicReference<Thread> thread = new AtomicReference<>();
    FutureTask<Integer> receiving =
        onThread(() -> {
          thread.set(Thread.currentThread());
          try {
            return channel.receive();
          } finally {
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
          }
        });
    until(() -> hasWaiting(channel, 0, 1));
    thread.get().interrupt();
    assertThat(failureOf(receiving))
        .isInstanceOf(WaitCancelledException.class)
        .hasCauseInstanceOf(InterruptedException.class);
    channel.send(1);
    assertThat(channel.tryReceive()).isEqualTo(1);
  }

  @Test
  @Tag("trap-1")
  void receiver_givenAnItemAndCancelledBeforeItRuns_handsItOnInOrder() {
    Heddle.run(() -> {
      ThreadChannel<Integer> channel = ThreadChannel.of(3);
      Heddle.supervise(s -> {
        Coroutine<Integer> first = s.spawn(() -> channel.receive());
        Coroutine<Integer> second = s.spawn(() -> channel.receive());
        untilInCoroutine(() -> hasWaiting(channel, 0, 2));
        channel.send(1);
        channel.send(2);
        channel.send(3);
        second.cancel("first of the two");
        first.cancel("second of the two");
        untilInCoroutine(() -> first.isDone() && second.isDone());
        return null;
      });
      assertThat(channel.size()).isEqualTo(3);
      assertThat(channel.trySend(4)).as("into a full channel").isFalse();
      assertThat(List.of(channel.receive(), channel.receive(), channel.receive()))
          .containsExactly(1, 2, 3);
    });
  }

  @Test
  @Tag("trap-4")
  void sender_whoseItemWasReceivedAndWhoIsCancelledBeforeItRuns_hasSent() {
    Heddle.run(() -> {
      ThreadChannel<Integer> channel = ThreadChannel.of(1);
      List<String> log = new ArrayList<>();
      channel.send(1);
      Heddle.supervise(s -> {
        Coroutine<?> sender =
            s.spawn(() -> {
              channel.send(2);
              log.add("sent");
              try {
                Heddle.delay(Duration.ofHours(1));
              } catch (Cancellation c) {
                log.add("cancelled");
                throw c;
              }
            });
        untilInCoroutine(() -> hasWaiting(channel, 1, 0));
        assertThat(List.of(channel.receive(), channel.receive())).containsExactly(1, 2);
        sender.cancel("too late");
        untilInCoroutine(sender::isDone);
        return null;
      });
      assertThat(log).containsExactly("sent", "cancelled");
    });
  }

  @Test
  @Tag("trap-4")
  void sender_whoseItemWasTakenWhenASwitchHandlerFails_hasSent() {
    IllegalStateException failure = new IllegalStateException("in a handler");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        ThreadChannel<Integer> channel = ThreadChannel.of("jobs", 1);
        boolean[] fails = new boolean[1];
        channel.send(1);
        Coroutine<String> sender =
            Heddle.spawn(() -> {
              Heddle.addSwitchHandler((_, kind) -> {
                if (kind == Switch.ENTER && fails[0]) {
                  fails[0] = false;
                  throw failure;
                }
                return true;
              });
              channel.send(2);
              return "sent";
            });
        untilInCoroutine(() -> hasWaiting(channel, 1, 0));
        fails[0] = true;
        assertThat(channel.receive()).isEqualTo(1);
        assertThat(sender.await()).isEqualTo("sent");
        assertThat(channel.receive()).isEqualTo(2);
      });
      assertThat(reports.failures()).containsExactly(failure);
      assertThat(reports.messages().getFirst()).contains("has sent to the thread channel 'jobs'");
    }
  }

  // ---- the end ----

  @Test
  void close_releasesAllPeers_andLeavesItemsToBeReceived() throws Exception {
    ThreadChannel<Integer> full = ThreadChannel.of(1);
    full.send(1);
    FutureTask<Boolean> sending =
        onThread(() -> {
          full.send(2);
          return true;
        });
    until(() -> hasWaiting(full, 1, 0));
    full.close();
    full.close();
    assertThat(failureOf(sending))
        .isInstanceOf(ChannelClosedException.class)
        .hasMessage(
            "a thread channel (capacity 1) was closed by the thread '%s'; stop sending, or open a"
                + " new one",
            Thread.currentThread().getName());
    assertThatThrownBy(() -> full.trySend(3)).isInstanceOf(ChannelClosedException.class);
    assertThat(full.receive()).isEqualTo(1);
    assertThatThrownBy(full::receive)
        .isInstanceOf(ChannelClosedException.class)
        .hasMessageEndingWith("', and nothing is left in it; stop receiving");
    assertThatThrownBy(full::tryReceive).isInstanceOf(ChannelClosedException.class);
    assertThat(full.iterator().hasNext()).isFalse();
  }

  @Test
  void closedChannel_namesItsCapacity_notTheLengthOfItsRing() {
    ThreadChannel<Integer> large = ThreadChannel.of(1_000);
    large.close();
    assertThatThrownBy(() -> large.send(1)).hasMessageContaining("(capacity 1000)");
  }

  @Test
  void close_releasesReceivers_threadsAndCoroutines() throws Exception {
    ThreadChannel<Integer> empty = ThreadChannel.of(1);
    IllegalStateException why = new IllegalStateException("no more");
    FutureTask<Integer> thread = onThread(empty::receive);
    Loop<Boolean> loop =
        Loop.start(() -> {
          Coroutine<Integer> receiving =
              Heddle.supervise(s ->
                  s.spawn(() -> {
                    try {
                      return empty.receive();
                    } catch (ChannelClosedException e) {
                      return e.getCause() == why ? 42 : 0;
                    }
                  }));
          return receiving.await() == 42;
        });
    until(() -> hasWaiting(empty, 0, 2));
    empty.close(why);
    assertThat(failureOf(thread)).isInstanceOf(ChannelClosedException.class).hasCause(why);
    assertThat(loop.join()).isTrue();
    assertThatThrownBy(() -> empty.iterator().hasNext()).hasCause(why);
  }

  @Test
  void cancel_handsOverWhatIsLeft() {
    ThreadChannel<Integer> channel = ThreadChannel.of(3);
    channel.send(1);
    channel.send(2);
    List<Integer> left = new ArrayList<>();
    channel.cancel(left::add);
    assertThat(left).containsExactly(1, 2);
    assertThatThrownBy(channel::receive)
        .isInstanceOfSatisfying(
            ChannelClosedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CANCELLED));
  }

  @Test
  void cancel_withoutACallback_dropsWhatIsLeft() {
    ThreadChannel<Integer> channel = ThreadChannel.of(3);
    channel.send(1);
    channel.cancel();
    assertThat(channel.size()).isZero();
    assertThatThrownBy(channel::receive)
        .isInstanceOfSatisfying(
            ChannelClosedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CANCELLED));
  }

  @Test
  void itemHandedBackAfterCancel_goesToTheCallback() {
    Heddle.run(() -> {
      ThreadChannel<Integer> channel = ThreadChannel.of(1);
      List<Integer> left = new ArrayList<>();
      Heddle.supervise(s -> {
        Coroutine<Integer> receiver = s.spawn(() -> channel.receive());
        untilInCoroutine(() -> hasWaiting(channel, 0, 1));
        channel.send(1);
        channel.cancel(left::add);
        assertThat(left).isEmpty();
        receiver.cancel("no longer");
        untilInCoroutine(receiver::isDone);
        return null;
      });
      assertThat(left).containsExactly(1);
      assertThat(channel.isEmpty()).isTrue();
    });
  }

  @Test
  void itemHandedBack_countsToTheCapacity() {
    Heddle.run(() -> {
      ThreadChannel<Integer> channel = ThreadChannel.of(1);
      Heddle.supervise(s -> {
        Coroutine<Integer> receiver = s.spawn(() -> channel.receive());
        untilInCoroutine(() -> hasWaiting(channel, 0, 1));
        channel.send(1);
        channel.send(2);
        receiver.cancel("no longer");
        untilInCoroutine(receiver::isDone);
        return null;
      });
      assertThat(channel.size()).isEqualTo(2);
      assertThat(channel.trySend(3)).isFalse();
      assertThat(channel.receive()).isEqualTo(1);
      assertThat(channel.trySend(3)).as("full").isFalse();
      assertThat(channel.receive()).isEqualTo(2);
      assertThat(channel.trySend(3)).isTrue();
    });
  }

  @Test
  void stream_endsWithTheChannel() {
    ThreadChannel<Integer> channel = ThreadChannel.of(3);
    channel.send(1);
    channel.send(2);
    channel.close();
    assertThat(channel.stream().map(item -> item * 10)).containsExactly(10, 20);
  }

  @Test
  @Tag("loop-281")
  void endOfTheOwner_releasesThreadsThatWait() throws Exception {
    AtomicReference<ThreadChannel<Integer>> channel = new AtomicReference<>();
    AtomicReference<FutureTask<Integer>> worker = new AtomicReference<>();
    Heddle.run(() -> {
      ThreadChannel<Integer> mine = ThreadChannel.of(1);
      channel.set(mine);
      worker.set(onThread(mine::receive));
      untilInCoroutine(() -> hasWaiting(mine, 0, 1));
    });
    assertThat(failureOf(worker.get()))
        .isInstanceOfSatisfying(
            ChannelClosedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.LOOP_ENDED));
    assertThat(channel.get().isClosed()).isTrue();
    assertThat(channel.get().iterator().hasNext()).isFalse();
  }

  private static void awaitStubbornly(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException _) {
        // the point of it: the coroutine outlives its loop
      }
    }
  }

  @Test
  @Tag("T18")
  void coroutineThatItsLoopHasAbandoned_neitherSendsNorReceives() throws Exception {
    ThreadChannel<Integer> channel = ThreadChannel.of(3);
    channel.send(1);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    CompletableFuture<List<Throwable>> thrown = new CompletableFuture<>();
    Loop<Integer> loop =
        Loop.start(() -> {
          Heddle.spawn(() -> {
            begun.countDown();
            awaitStubbornly(ended);
            List<Throwable> each = new ArrayList<>();
            each.add(catchThrowable(() -> channel.send(2)));
            each.add(catchThrowable(() -> channel.trySend(3)));
            each.add(catchThrowable(() -> channel.receive()));
            each.add(catchThrowable(() -> channel.tryReceive()));
            each.add(catchThrowable(() -> channel.iterator().hasNext()));
            thrown.complete(each);
          });
          return Heddle.await(new CompletableFuture<Integer>());
        });
    begun.await();
    loop.shutdown(Duration.ZERO);
    assertThatThrownBy(loop::join).isInstanceOf(Cancellation.class);
    ended.countDown();
    assertThat(thrown.get()).hasSize(5).allMatch(LoopEndedException.class::isInstance);
    assertThat(channel.size()).isEqualTo(1);
  }

  @Test
  @Tag("loop-281")
  void endOfALoop_thatIsNotTheOwner_leavesNoWaiterOfIt() throws Exception {
    ThreadChannel<Integer> channel = ThreadChannel.of(1);
    Loop<Integer> loop = Loop.start(() -> channel.receive());
    until(() -> hasWaiting(channel, 0, 1));
    loop.shutdown(Duration.ofHours(1));
    assertThatThrownBy(loop::join).isInstanceOf(Cancellation.class);
    assertThat(hasWaiting(channel, 0, 0)).isTrue();
    channel.send(1);
    assertThat(channel.receive()).isEqualTo(1);
  }
}
