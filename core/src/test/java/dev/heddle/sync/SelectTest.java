// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Reports;
import dev.heddle.coroutine.Switch;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.event.source.EventSource;
import dev.heddle.simulation.VirtualTime;
import dev.heddle.sync.Broadcast.Overflow;
import dev.heddle.sync.Broadcast.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class SelectTest {
  private static long now() {
    return CoroutineNode.current().scheduler().nanoTime();
  }

  private static void settle() {
    for (int i = 0; i < 10; i++) {
      Heddle.yieldNow();
    }
  }

  @Test
  void branches_possibleAtOnce_areTakenInTheirOrder() {
    Heddle.run(() -> {
      Channel<Integer> first = Channel.of(1);
      Channel<Integer> second = Channel.of(1);
      first.send(1);
      second.send(2);
      Select<String> select =
          Select.<String>create()
              .onReceive(first, item -> "first " + item)
              .onReceive(second, item -> "second " + item);
      assertThat(select.await()).isEqualTo("first 1");
      assertThat(second.size()).isEqualTo(1);
      assertThat(select.await()).isEqualTo("second 2");
    });
  }

  /// How often each of the branches that are possible is chosen in 3,000 rounds.
  private static int[] chosen(int branches, List<Integer> possible) {
    return Heddle.run(() -> {
      Select<Integer> select = Select.<Integer>create().fair();
      int[] taken = new int[branches];
      for (int i = 0; i < branches; i++) {
        int branch = i;
        Channel<Integer> channel = Channel.conflated();
        select.onReceive(
            channel,
            _ -> {
              channel.send(0); // possible again
              return branch;
            });
        if (possible.contains(i)) {
          channel.send(0);
        }
      }
      for (int i = 0; i < 3_000; i++) {
        taken[select.await()]++;
      }
      return taken;
    });
  }

  @Test
  void fair_choosesEachPossibleBranchAsOften() {
    for (int count : chosen(3, List.of(0, 1, 2))) {
      assertThat(count).isBetween(800, 1_200);
    }
  }

  @Test
  void fair_givesNoBranchTheShareOfANeighbourThatIsNeverPossible() {
    int[] taken = chosen(4, List.of(0, 2, 3));
    assertThat(taken[1]).isZero();
    for (int branch : new int[] {0, 2, 3}) {
      assertThat(taken[branch]).as("branch %s", branch).isBetween(800, 1_200);
    }
  }

  @Test
  @Tag("trap-7")
  void wait_endedByOneBranch_leavesTheOthersAsTheyWere() {
    Heddle.run(() -> {
      Channel<Integer> in = Channel.of(0);
      Channel<Integer> out = Channel.of(0);
      Mutex mutex = new Mutex();
      mutex.lock();
      Promise<String> promise = new Promise<>();
      List<String> log = new ArrayList<>();
      Coroutine<?> selecting =
          Heddle.spawn(() ->
              log.add(
                  Select.<String>create()
                      .onReceive(in, item -> "received " + item)
                      .onSend(out, 7, () -> "sent")
                      .onLock(mutex, () -> "locked")
                      .onAwait(promise.future(), value -> "awaited " + value)
                      .await()));
      settle();
      assertThat(out.receive()).isEqualTo(7);
      assertThat(in.trySend(1)).isFalse(); // it is no receiver any more
      mutex.unlock();
      assertThat(mutex.isLocked()).isFalse();
      promise.complete("late");
      Heddle.await(selecting);
      assertThat(log).containsExactly("sent");
      assertThat(List.of(in.info(), out.info()))
          .allMatch(info -> info.contains("0 sending, 0 receiving"));
    });
  }

  @Test
  void awaitable_thatIsFirst_givesItsValueOrFailure() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Promise<String> promise = new Promise<>();
      Heddle.spawn(() -> promise.complete("done"));
      assertThat(
              Select.<String>create()
                  .onReceive(channel, _ -> "item")
                  .onAwait(promise.future(), v -> v)
                  .await())
          .isEqualTo("done");
      assertThat(Select.<String>create().onAwait(promise.future(), v -> v + " again").await())
          .isEqualTo("done again");
      Promise<String> failing = new Promise<>();
      Heddle.spawn(() -> failing.fail(new IllegalStateException("broken")));
      assertThatThrownBy(() ->
              Select.<String>create()
                  .onReceive(channel, _ -> "item")
                  .onAwait(failing.future(), v -> v)
                  .await())
          .hasMessage("broken");
    });
  }

  @Test
  void timer_isABranchLikeAnyOther() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      assertThat(
              Select.<String>create()
                  .onReceive(channel, _ -> "item")
                  .onAwait(Heddle.timer(Duration.ofMillis(1)), _ -> "late")
                  .await())
          .isEqualTo("late");
      assertThat(channel.info()).contains("0 receiving");
    });
  }

  @Test
  void tryAwait_withNothingPossible_isNullOrRunsTheOther() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Select<String> select = Select.<String>create().onReceive(channel, item -> "item " + item);
      assertThat(select.tryAwait()).isNull();
      assertThat(select.tryAwait(() -> "nothing")).isEqualTo("nothing");
      channel.send(1);
      assertThat(select.tryAwait(() -> "nothing")).isEqualTo("item 1");
      channel.send(2);
      assertThat(select.tryAwait()).isEqualTo("item 2");
      assertThat(channel.info()).contains("0 sending, 0 receiving");
    });
  }

  @Test
  void closedChannel_throwsOrRunsItsCode() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Heddle.spawn(() -> channel.close());
      assertThat(Select.<String>create().onReceive(channel, _ -> "item", () -> "closed").await())
          .isEqualTo("closed");
      assertThatThrownBy(() -> Select.<String>create().onReceive(channel, _ -> "item").await())
          .isInstanceOf(ChannelClosedException.class);
      assertThatThrownBy(() -> Select.<String>create().onSend(channel, 1, () -> "sent").await())
          .isInstanceOf(ChannelClosedException.class);
      Channel<Integer> full = Channel.of(0);
      Heddle.spawn(() -> full.close());
      assertThatThrownBy(() -> Select.<String>create().onSend(full, 1, () -> "sent").await())
          .isInstanceOf(ChannelClosedException.class);
    });
  }

  @Test
  void closedChannel_ofASend_runsItsCode() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Select<String> select =
          Select.<String>create().onSend(channel, 1, () -> "sent", () -> "closed");
      Coroutine<Integer> receiver = Heddle.spawn(() -> channel.receive());
      settle();
      assertThat(select.await()).isEqualTo("sent");
      assertThat(receiver.await()).isEqualTo(1);
      Heddle.spawn(() -> channel.close());
      assertThat(select.await()).isEqualTo("closed"); // while it waited
      assertThat(select.await()).isEqualTo("closed"); // before
      List<String> log = new ArrayList<>();
      Action sent = () -> log.add("sent");
      Action closed = () -> log.add("closed");
      assertThat(Select.<String>create().onSend(channel, 1, sent, closed).await()).isNull();
      assertThat(log).containsExactly("closed");
    });
  }

  @Test
  void closedBroadcast_runsItsCode() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(4, Overflow.SUSPEND);
      Subscription<Integer> reader = broadcast.subscribe();
      Subscription<Integer> left = broadcast.subscribe();
      Select<String> select =
          Select.<String>create().onReceive(reader, item -> "item " + item, () -> "closed");
      broadcast.send(1);
      Heddle.spawn(() -> broadcast.close());
      assertThat(select.await()).isEqualTo("item 1");
      assertThat(select.await()).isEqualTo("closed"); // while it waited
      assertThat(select.await()).isEqualTo("closed"); // before
      left.close();
      assertThat(Select.<String>create().onReceive(left, _ -> "item", () -> "closed").await())
          .isEqualTo("closed");
    });
  }

  // ---- timeouts ----

  @Test
  void timeout_beginsAnewWithEachAwait() {
    VirtualTime.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Select<String> select =
          Select.<String>create()
              .onReceive(channel, item -> "item " + item)
              .onTimeout(Duration.ofMillis(100), () -> "none");
      long start = now();
      assertThat(select.await()).isEqualTo("none");
      assertThat(now() - start).isEqualTo(100_000_000);
      assertThat(select.tryAwait()).isNull();
      channel.send(1);
      assertThat(select.await()).isEqualTo("item 1");
      assertThat(select.await()).isEqualTo("none");
      assertThat(now() - start).isEqualTo(200_000_000);
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  void timeout_withCodeThatReturnsNothing_makesTheSelectReturnNull() {
    VirtualTime.run(() -> {
      List<String> log = new ArrayList<>();
      Action code = () -> log.add("timeout");
      assertThat(Select.<String>create().onTimeout(Duration.ofHours(1), code).await()).isNull();
      assertThat(Select.<String>create().onTimeout(Duration.ZERO, code).await()).isNull();
      assertThat(log).hasSize(2);
    });
  }

  @Test
  void timeout_whenAReaderLooksInVain_goesOn() {
    VirtualTime.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(4, Overflow.SUSPEND);
      Subscription<Integer> reader = broadcast.subscribe();
      Heddle.launch(
          "taker",
          () -> {
            Heddle.delay(Duration.ofMillis(60));
            broadcast.send(1);
            reader.tryReceive();
          });
      long start = now();
      assertThat(
              Select.<String>create()
                  .onReceive(reader, _ -> "item")
                  .onTimeout(Duration.ofMillis(100), () -> "none")
                  .await())
          .isEqualTo("none");
      assertThat(now() - start).isEqualTo(100_000_000);
    });
  }

  @Test
  @Tag("trap-1")
  void select_givenAnItemAndCancelledBeforeItRuns_handsItOn() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Coroutine<?> selecting =
          Heddle.spawn(() -> Select.<Integer>create().onReceive(channel, item -> item).await());
      settle();
      channel.send(1);
      selecting.cancel("no longer");
      assertThat(catchThrowable(() -> Heddle.await(selecting))).isInstanceOf(Cancellation.class);
      assertThat(channel.receive()).isEqualTo(1);
    });
  }

  @Test
  void twoSelects_onBothWaysOfOneChannel_meet() {
    Heddle.run(() -> {
      Channel<String> channel = Channel.of(0);
      List<String> log = new ArrayList<>();
      Heddle.scope(s -> {
        for (String name : List.of("a", "b")) {
          s.spawn(() ->
              log.add(
                  Select.<String>create()
                      .onSend(channel, name, () -> name + " sent")
                      .onReceive(channel, item -> name + " got " + item)
                      .await()));
        }
        return null;
      });
      assertThat(log).containsExactlyInAnyOrder("b sent", "a got b");
    });
  }

  @Test
  void code_runsAfterTheChoice_andItsFailureIsThrown() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      channel.send(1);
      assertThatThrownBy(() ->
              Select.<String>create()
                  .onReceive(
                      channel,
                      _ -> {
                        throw new IOException("in the code");
                      })
                  .await())
          .isInstanceOf(CoroutineException.class)
          .hasRootCauseMessage("in the code");
      assertThat(channel.isEmpty()).isTrue();
    });
  }

  @Test
  void branchThatIsAlwaysPossible_letsOthersRun() {
    Heddle.run(() -> {
      Channel<Integer> newest = Channel.conflated();
      List<String> log = new ArrayList<>();
      Coroutine<?> other = Heddle.spawn(() -> log.add("ran"));
      for (int i = 0; i < 100_000 && log.isEmpty(); i++) {
        Select.<Integer>create().onSend(newest, 1, () -> 1).await();
      }
      assertThat(log).containsExactly("ran");
      Heddle.await(other);
    });
  }

  @Test
  void deadlineAndToken_endTheWaitAndLeaveNothing() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Select<Integer> select =
          Select.<Integer>create().onReceive(channel, item -> item).onSend(channel, 1, () -> 0);
      assertThatThrownBy(() -> select.await(Deadline.after(Duration.ofNanos(1))))
          .isInstanceOf(DeadlineException.class);
      assertThat(channel.info()).contains("0 sending, 0 receiving");
      Promise<String> token = new Promise<>();
      Heddle.spawn(() -> token.complete("enough"));
      assertThatThrownBy(() -> select.await(token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(channel.info()).contains("0 sending, 0 receiving");
      assertThat(EventSource.of(token.future()).subscribers()).isZero();
    });
  }

  @Test
  void branchThatIsPossible_beatsATokenThatHasFired() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Promise<String> fired = new Promise<>();
      fired.complete("enough");
      Select<Integer> select = Select.<Integer>create().onReceive(channel, item -> item);
      channel.send(1);
      assertThat(select.await(fired.future())).isEqualTo(1);
      assertThatThrownBy(() -> select.await(fired.future()))
          .isInstanceOf(WaitCancelledException.class);
    });
  }

  @Test
  void codeThatReturnsNothing_makesTheSelectReturnNull() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Mutex mutex = new Mutex();
      Semaphore semaphore = new Semaphore(1);
      List<String> log = new ArrayList<>();
      assertThat(onSend(channel, log).await()).isNull();
      Select.<String>create()
          .onLock(
              mutex,
              () -> {
                log.add("locked");
                mutex.unlock();
              })
          .await();
      Select.<String>create()
          .onAcquire(
              semaphore,
              () -> {
                log.add("acquired");
                semaphore.release();
              })
          .await();
      onSend(channel, log)
          .tryAwait(() -> {
            log.add("nothing");
          });
      assertThat(log).containsExactly("sent", "locked", "acquired", "nothing");
      assertThat(mutex.isLocked()).isFalse();
      assertThat(semaphore.availablePermits()).isEqualTo(1);
    });
  }

  private static Select<String> onSend(Channel<Integer> channel, List<String> log) {
    return Select.<String>create()
        .onSend(
            channel,
            1,
            () -> {
              log.add("sent");
            });
  }

  @Test
  void permit_isABranch_andGoesBackWhenAnotherIsChosen() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(0);
      Channel<Integer> channel = Channel.of(1);
      Select<String> select =
          Select.<String>create()
              .onReceive(channel, item -> "item " + item)
              .onAcquire(semaphore, () -> "permit");
      Coroutine<String> first = Heddle.spawn(() -> select.await());
      settle();
      assertThat(semaphore.waiting()).isEqualTo(1);
      semaphore.release();
      assertThat(Heddle.await(first)).isEqualTo("permit");
      Coroutine<String> second = Heddle.spawn(() -> select.await());
      settle();
      channel.send(7);
      semaphore.release(); // too late for the select
      assertThat(Heddle.await(second)).isEqualTo("item 7");
      assertThat(semaphore.availablePermits()).isEqualTo(1);
      assertThat(semaphore.waiting()).isZero();
    });
  }

  @Test
  @Tag("trap-1")
  void permit_givenToASelectThatIsCancelledBeforeItRuns_goesToTheNext() {
    Heddle.run(() -> {
      Semaphore semaphore = new Semaphore(0);
      Coroutine<?> first =
          Heddle.spawn(() -> Select.<Integer>create().onAcquire(semaphore, () -> 1).await());
      settle();
      Coroutine<?> second = Heddle.spawn(() -> semaphore.acquire());
      settle();
      semaphore.release();
      first.cancel("no longer");
      Heddle.await(second);
      assertThat(semaphore.availablePermits()).isZero();
    });
  }

  @Test
  void reader_isABranch_andLosesNothingWhenAnotherIsChosen() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(4, Overflow.SUSPEND);
      Subscription<Integer> reader = broadcast.subscribe();
      Channel<Integer> channel = Channel.of(1);
      Select<String> select =
          Select.<String>create()
              .onReceive(channel, item -> "item " + item)
              .onReceive(reader, news -> "news " + news);
      Coroutine<String> first = Heddle.spawn(() -> select.await());
      settle();
      channel.send(1);
      broadcast.send(10);
      assertThat(Heddle.await(first)).isEqualTo("item 1");
      assertThat(select.await()).isEqualTo("news 10");
      Coroutine<String> second = Heddle.spawn(() -> select.await());
      settle();
      broadcast.send(11);
      assertThat(Heddle.await(second)).isEqualTo("news 11");
      assertThat(broadcast.info()).contains("0 receiving");
      broadcast.close();
      assertThatThrownBy(select::await).isInstanceOf(ChannelClosedException.class);
    });
  }

  @Test
  void reader_whoseItemAnotherTakes_waitsOn() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(4, Overflow.SUSPEND);
      Subscription<Integer> reader = broadcast.subscribe();
      Coroutine<Integer> selecting =
          Heddle.spawn(() -> Select.<Integer>create().onReceive(reader, news -> news).await());
      settle();
      broadcast.send(1);
      assertThat(reader.tryReceive()).isEqualTo(1);
      settle();
      assertThat(selecting.isDone()).isFalse();
      broadcast.send(2);
      assertThat(Heddle.await(selecting)).isEqualTo(2);
    });
  }

  @Test
  void reader_thatAnotherCoroutineWaitsIn_isRefused() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(4, Overflow.SUSPEND);
      Subscription<Integer> reader = broadcast.subscribe();
      Coroutine<Integer> first = Heddle.spawn(() -> reader.receive());
      settle();
      assertThatThrownBy(() -> Select.<Integer>create().onReceive(reader, news -> news).await())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("waits in this subscription");
      broadcast.send(1);
      assertThat(Heddle.await(first)).isEqualTo(1);
    });
  }

  @Test
  @Tag("trap-4")
  void send_thatWasReceivedWhenASwitchHandlerFails_isPerformed() {
    IllegalStateException failure = new IllegalStateException("in a handler");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Channel<Integer> channel = Channel.of(0);
        boolean[] failed = new boolean[1];
        Coroutine<String> selecting =
            Heddle.spawn(() -> {
              Heddle.addSwitchHandler((_, kind) -> {
                if (kind == Switch.ENTER && !failed[0]) {
                  failed[0] = true;
                  throw failure;
                }
                return true;
              });
              return Select.<String>create().onSend(channel, 1, () -> "sent").await();
            });
        settle();
        assertThat(channel.receive()).isEqualTo(1);
        assertThat(Heddle.await(selecting)).isEqualTo("sent");
      });
      assertThat(reports.failures()).containsExactly(failure);
    }
  }

  @Test
  void select_awaitedByTwo_isRefusedAndTheFirstGoesOn() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Select<Integer> select = Select.<Integer>create().onReceive(channel, item -> item);
      Coroutine<Integer> first = Heddle.spawn(() -> select.await());
      settle();
      assertThatThrownBy(select::await)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("another coroutine awaits this select");
      channel.send(7);
      assertThat(Heddle.await(first)).isEqualTo(7);
    });
  }

  @Test
  void select_withoutBranches_isRefused() {
    Heddle.run(() ->
        assertThatThrownBy(() -> Select.<String>create().await())
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("without branches"));
  }
}
