// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.CoroutineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Promise;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class SelectTest {
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

  @Test
  void fair_givesEachBranchItsTurn() {
    Heddle.run(() -> {
      List<Channel<Integer>> channels =
          List.of(Channel.unlimited(), Channel.unlimited(), Channel.unlimited());
      Select<Integer> select = Select.<Integer>create().fair();
      int[] taken = new int[3];
      for (int i = 0; i < 3; i++) {
        int branch = i;
        select.onReceive(channels.get(i), _ -> branch);
        for (int item = 0; item < 300; item++) {
          channels.get(i).send(item);
        }
      }
      for (int i = 0; i < 300; i++) {
        taken[select.await()]++;
      }
      assertThat(IntStream.of(taken).boxed()).allSatisfy(n -> assertThat(n).isBetween(60, 140));
    });
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
  void awaitNow_withNothingPossible_runsTheOther() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Select<String> select = Select.<String>create().onReceive(channel, item -> "item " + item);
      assertThat(select.awaitNow(() -> "nothing")).isEqualTo("nothing");
      channel.send(1);
      assertThat(select.awaitNow(() -> "nothing")).isEqualTo("item 1");
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
      while (log.isEmpty()) {
        Select.<Integer>create().onSend(newest, 1, () -> 1).await();
      }
      Heddle.await(other);
    });
  }

  @Test
  void select_awaitedByTwo_isRefusedAndTheFirstGoesOn() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Select<Integer> select = Select.<Integer>create().onReceive(channel, item -> item);
      Coroutine<Integer> first = Heddle.spawn(select::await);
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
