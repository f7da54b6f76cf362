// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import dev.heddle.hosting.StackEnd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ChannelTest extends ChannelUsers {
  // ---- capacity ----

  @Test
  @Tag("loop-161")
  void send_withoutCapacity_returnsAfterTheItemWasReceived() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Coroutine<?> sender = sender(channel, 1);
      settle();
      assertThat(log).isEmpty();

      assertThat(channel.receive()).isEqualTo(1);
      log.add("received 1");
      Heddle.await(sender);
      assertThat(log).containsExactly("received 1", "sent 1");
    });
  }

  @Test
  @Tag("loop-162")
  void send_beyondTheCapacity_waits() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(2);
      channel.send(1);
      channel.send(2);
      Coroutine<?> third = sender(channel, 3);
      settle();
      assertThat(third.isDone()).isFalse();

      assertThat(channel.receive()).isEqualTo(1);
      Heddle.await(third);
      assertThat(List.of(channel.receive(), channel.receive())).containsExactly(2, 3);
    });
  }

  @Test
  void unlimited_takesEveryItemAndKeepsTheOrder() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.unlimited();
      IntStream.range(0, 1000).forEach(channel::send);
      assertThat(channel.size()).isEqualTo(1000);
      assertThat(channel.isFull()).isFalse();
      channel.close();
      assertThat(channel.stream())
          .containsExactlyElementsOf(IntStream.range(0, 1000).boxed().toList());
    });
  }

  @Test
  void conflated_keepsTheNewest() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.conflated();
      channel.send(1);
      channel.send(2);
      assertThat(channel.size()).isEqualTo(1);
      assertThat(channel.receive()).isEqualTo(2);
      Coroutine<?> receiver = receiver(channel, "r");
      settle();
      channel.send(3);
      channel.send(4);
      Heddle.await(receiver);
      assertThat(log).containsExactly("r got 3");
      assertThat(channel.receive()).isEqualTo(4);
    });
  }

  @Test
  void unlimited_andConflated_haveNamesForReports() {
    Heddle.run(() -> {
      assertThat(Channel.unlimited("log").info())
          .isEqualTo("the channel 'log' with 0 of any number of items, 0 sending, 0 receiving");
      Channel<Integer> newest = Channel.conflated("newest");
      newest.send(1);
      newest.send(2);
      assertThat(newest.info())
          .isEqualTo("the channel 'newest' with 1 of 1 item, 0 sending, 0 receiving");
    });
  }

  @Test
  void capacity_belowZero_isRefused() {
    Heddle.run(() ->
        assertThatThrownBy(() -> Channel.of(-1))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("cannot hold -1 items; use 0"));
  }

  @Test
  @Tag("loop-165")
  void views_agreeAtEveryStep() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(2);
      assertThat(channel.capacity()).isEqualTo(2);
      for (int size = 0; size <= 2; size++) {
        assertThat(channel.size()).isEqualTo(size);
        assertThat(channel.isEmpty()).isEqualTo(size == 0);
        assertThat(channel.isFull()).isEqualTo(size == 2);
        assertThat(channel.trySend(size)).isEqualTo(size < 2);
      }
      assertThat(channel.info()).isEqualTo("a channel with 2 of 2 items, 0 sending, 0 receiving");
      assertThat(channel.tryReceive()).isEqualTo(0);
      assertThat(channel.isFull()).isFalse();
      assertThat(channel.size()).isEqualTo(1);
      channel.close();
      assertThat(channel.isClosed()).isTrue();
      assertThat(channel.size()).isEqualTo(1);
    });
  }

  // ---- without waiting ----

  @Test
  @Tag("loop-164")
  void trySend_withoutCapacity_succeedsOnlyIfAReceiverWaits() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      assertThat(channel.trySend(1)).isFalse();
      Coroutine<?> receiver = receiver(channel, "r");
      settle();
      assertThat(channel.trySend(2)).isTrue();
      assertThat(channel.trySend(3))
          .isFalse(); // the receiver has got its item, though it has not run
      Heddle.await(receiver);
      assertThat(log).containsExactly("r got 2");
    });
  }

  @Test
  void tryReceive_takesWhatIsThereOrNothing() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      assertThat(channel.tryReceive()).isNull();
      channel.send(1);
      assertThat(channel.tryReceive()).isEqualTo(1);
      channel.close();
      assertThatThrownBy(channel::tryReceive).isInstanceOf(ChannelClosedException.class);
    });
  }

  @Test
  void tryReceive_withoutCapacity_takesTheItemOfASenderThatWaits() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Coroutine<?> sender = sender(channel, 1);
      settle();
      assertThat(channel.tryReceive()).isEqualTo(1);
      Heddle.await(sender);
    });
  }

  @Test
  @Tag("loop-168")
  void receiveAsync_isCompletedNowLaterOrNever() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      channel.send(1);
      Future<Integer> now = channel.receiveAsync();
      assertThat(now.isDone()).isTrue();
      assertThat(now.await()).isEqualTo(1);

      Future<Integer> later = channel.receiveAsync();
      assertThat(later.isDone()).isFalse();
      channel.send(2);
      assertThat(later.await()).isEqualTo(2);

      Future<Integer> never = channel.receiveAsync();
      channel.close();
      assertThatThrownBy(never::await).isInstanceOf(ChannelClosedException.class);
      Future<Integer> late = channel.receiveAsync();
      assertThatThrownBy(late::await).isInstanceOf(ChannelClosedException.class);
    });
  }

  @Test
  @Tag("loop-193")
  void receiveAsync_cancelledBeforeAnItemComes_takesNone() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Future<Integer> future = channel.receiveAsync();
      future.cancel("not needed");
      channel.send(1);
      assertThat(channel.size()).isEqualTo(1);
      channel.close();
      assertThat(channel.receive()).isEqualTo(1);
      assertThat(catchThrowable(future::await)).isInstanceOf(Cancellation.class);
    });
  }

  @Test
  void futureThatIsCancelled_leavesTheQueueAtOnce() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      for (int i = 0; i < 100; i++) {
        channel.receiveAsync().cancel("late");
      }
      assertThat(channel.info()).contains("0 receiving");
      assertThat(channel.trySend(1)).isTrue();
      assertThat(channel.size()).isEqualTo(1);
    });
  }

  // ---- bounded waits ----

  private static Event elapsed() {
    Event event = Heddle.timer(Duration.ofNanos(1));
    Heddle.await(event);
    return event;
  }

  @Test
  @Tag("loop-169")
  void wait_endedByATokenOrADeadline_leavesTheChannelUsable() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Deadline soon = Deadline.after(Duration.ofMillis(1));
      assertThatThrownBy(() -> channel.receive(soon)).isInstanceOf(DeadlineException.class);

      Promise<String> token = new Promise<>();
      Heddle.spawn(() -> token.complete("enough"));
      assertThatThrownBy(() -> channel.receive(token.future()))
          .isInstanceOf(WaitCancelledException.class);

      IllegalStateException failure = new IllegalStateException("token failed");
      Promise<String> failing = new Promise<>();
      channel.send(1);
      Heddle.spawn(() -> failing.fail(failure));
      assertThatThrownBy(() -> channel.send(2, failing.future()))
          .isInstanceOf(WaitCancelledException.class)
          .hasCause(failure);

      assertThat(channel.receive()).isEqualTo(1);
      assertThat(channel.tryReceive()).isNull();
      channel.send(3);
      assertThat(channel.receive()).isEqualTo(3);
    });
  }

  @Test
  @Tag("loop-170")
  void call_thatNeedsNoWait_doesNotMindAnExpiredToken() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Event expired = elapsed();
      channel.send(1, expired);
      assertThatThrownBy(() -> channel.send(2, expired)).isInstanceOf(WaitCancelledException.class);
      assertThat(channel.receive(expired)).isEqualTo(1);
      assertThatThrownBy(() -> channel.receive(expired)).isInstanceOf(WaitCancelledException.class);
    });
  }

  // ---- iteration ----

  @Test
  @Tag("loop-184")
  void loop_overTheChannel_endsWhenTheProducerCloses() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Coroutine<?> consumer =
          Heddle.spawn(() -> {
            for (int item : channel) {
              log.add(item);
            }
            log.add("end");
          });
      settle();
      channel.send(1);
      channel.send(2);
      channel.close();
      Heddle.await(consumer);
      assertThat(log).containsExactly(1, 2, "end");
      assertThatThrownBy(() -> channel.iterator().next())
          .isInstanceOf(NoSuchElementException.class);
    });
  }

  @Test
  @Tag("loop-186")
  void channel_asTheFirstThingThatAProgramWaitsFor_works() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      sender(channel, 1);
      for (int item : channel) {
        log.add(item);
        channel.close();
      }
      assertThat(log).contains(1);
    });
  }

  // ---- the loop around it ----

  @Test
  @Tag("loop-190")
  void receiver_alone_isADeadlockThatNamesTheChannel() {
    assertThatThrownBy(() -> Heddle.run(() -> Channel.of("jobs", 4).receive()))
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("an item from the channel 'jobs' with 0 of 4 items");
  }

  @Test
  void channel_ofAnotherLoop_isRefused() {
    Channel<Integer> elsewhere = Heddle.run(() -> Channel.of("jobs", 1));
    Heddle.run(() ->
        assertThatThrownBy(() -> elsewhere.trySend(1))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("the channel 'jobs' belongs to another loop"));
  }

  @Test
  void producerThatNeverWaits_letsOthersRun() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.unlimited();
      Coroutine<?> other = Heddle.spawn(() -> log.add("ran"));
      while (log.isEmpty()) {
        channel.send(1);
      }
      Heddle.await(other);
    });
  }

  // ---- where the stack ends ----

  @Test
  @Tag("trap-23")
  void close_whereTheStackEnds_wakesAllThatWait() {
    Heddle.run(() -> {
      Channel.of(0).close(); // the first one loads classes, which takes more stack than the rest
      Channel<Integer> channel = Channel.of(0);
      Heddle.supervise(s -> {
        List<Coroutine<?>> receivers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          receivers.add(s.spawn(() -> channel.receive()));
        }
        settle();
        assertThat(StackEnd.runAt(channel::close)).isTrue();
        for (Coroutine<?> each : receivers) {
          assertThat(catchThrowable(() -> Heddle.await(each)))
              .isInstanceOf(ChannelClosedException.class);
        }
        return null;
      });
    });
  }

  @Test
  @Tag("trap-23")
  void send_whereTheStackEnds_losesNothing() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Coroutine<?> receiver = receiver(channel, "r");
      settle();
      assertThat(StackEnd.runAt(() -> channel.trySend(1))).isTrue();
      Heddle.await(receiver);
      assertThat(log).containsExactly("r got 1");
    });
  }

  @Test
  @Tag("trap-23")
  void receive_whereTheStackEnds_wakesTheSender() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Coroutine<?> sender = sender(channel, 1);
      settle();
      assertThat(StackEnd.runAt(() -> log.add(channel.tryReceive()))).isTrue();
      Heddle.await(sender);
      assertThat(log).containsExactly(1, "sent 1");
    });
  }
}
