// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Reports;
import dev.heddle.coroutine.Switch;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Whose an item is when a wait ends otherwise: before it was served, or after that and before the
/// coroutine runs.
@Timeout(300)
class ChannelHandoverTest extends ChannelUsers {
  // ---- cancelled between the wake-up and the turn ----

  @Test
  @Tag("loop-172")
  @Tag("trap-1")
  void receiver_givenAnItemAndCancelledBeforeItRuns_handsItToTheNext() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Coroutine<?> first = receiver(channel, "first");
      Coroutine<?> second = receiver(channel, "second");
      settle();
      channel.send(1);
      first.cancel("no longer");
      Heddle.await(second);
      assertThat(log).containsExactly("second got 1");
      assertThat(channel.size()).isZero();
    });
  }

  @Test
  @Tag("loop-173")
  @Tag("trap-3")
  void receiver_thatHandsItsItemOn_givesItToTheOldest() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Coroutine<?> first = receiver(channel, "first");
      receiver(channel, "second");
      receiver(channel, "third");
      settle();
      channel.send(1);
      first.cancel("no longer");
      settle();
      channel.send(2);
      settle();
      assertThat(log).containsExactly("second got 1", "third got 2");
    });
  }

  @Test
  @Tag("loop-174")
  void receiver_ofARendezvousThatIsCancelled_leavesTheItemInTheChannelAlsoWhenClosed() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Coroutine<?> receiver = receiver(channel, "r");
      settle();
      channel.send(1);
      receiver.cancel("no longer");
      settle();
      assertThat(channel.size()).isEqualTo(1);
      channel.close();
      assertThat(channel.receive()).isEqualTo(1);
    });
  }

  @Test
  void receivers_cancelledInTheWrongOrder_leaveTheItemsInTheRightOne() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(2);
      Coroutine<?> first = receiver(channel, "first");
      Coroutine<?> second =
          Heddle.spawn(() -> {
            try {
              channel.receive();
            } finally {
              log.add("second left");
            }
          });
      settle();
      channel.send(1);
      channel.send(2);
      channel.send(3);
      second.cancel("no longer");
      first.cancel("no longer");
      settle();
      assertThat(List.of(channel.receive(), channel.receive(), channel.receive()))
          .containsExactly(1, 2, 3);
    });
  }

  @Test
  @Tag("loop-176")
  @Tag("trap-2")
  void item_givenToAReceiver_isNobodyElses() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Coroutine<?> first = receiver(channel, "first");
      settle();
      channel.send(1);
      assertThat(channel.tryReceive()).isNull();
      Future<Integer> future = channel.receiveAsync();
      assertThat(future.isDone()).isFalse();
      Coroutine<?> iterating = Heddle.spawn(() -> log.add(channel.iterator().next()));
      settle();
      assertThat(log).containsExactly("first got 1");
      channel.send(2);
      channel.send(3);
      assertThat(future.await()).isEqualTo(2);
      Heddle.await(first);
      Heddle.await(iterating);
      assertThat(log).containsExactly("first got 1", 3);
    });
  }

  @Test
  @Tag("loop-177")
  @Tag("trap-2")
  void room_forASenderThatWaits_isNobodyElses() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      channel.send(1);
      Coroutine<?> waiting = sender(channel, 2);
      settle();
      assertThat(channel.receive()).isEqualTo(1);
      assertThat(channel.trySend(3)).isFalse();
      Heddle.await(waiting);
      assertThat(channel.receive()).isEqualTo(2);
    });
  }

  @Test
  @Tag("loop-178")
  void receiver_cancelledWithNobodyBehind_leavesTheItemToALaterOne() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Coroutine<?> receiver = receiver(channel, "r");
      settle();
      channel.send(1);
      receiver.cancel("no longer");
      settle();
      assertThat(channel.receive()).isEqualTo(1);
      assertThat(channel.trySend(2)).isTrue();
    });
  }

  @Test
  @Tag("loop-181")
  void rendezvous_betweenTwoSenders_isNobodyElses() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      sender(channel, 1);
      Coroutine<?> second = sender(channel, 2);
      settle();
      assertThat(channel.receive()).isEqualTo(1);
      assertThat(channel.trySend(3)).isFalse();
      assertThat(channel.receive()).isEqualTo(2);
      Heddle.await(second);
    });
  }

  @Test
  @Tag("loop-194")
  void receiver_thatIsCancelled_getsTheCancellationAndTheChannelStaysOpen() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Coroutine<?> receiver = receiver(channel, "r");
      settle();
      receiver.cancel("no longer");
      assertThat(catchThrowable(() -> Heddle.await(receiver))).isInstanceOf(Cancellation.class);
      channel.send(1);
      assertThat(channel.receive()).isEqualTo(1);
    });
  }

  @Test
  @Tag("trap-4")
  void sender_cancelledWhileItWaits_takesItsItemBack() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Coroutine<?> sender = sender(channel, 1);
      settle();
      sender.cancel("no longer");
      assertThat(channel.tryReceive()).isNull(); // before the sender has run
      settle();
      assertThat(log).isEmpty();
      channel.close();
      assertThatThrownBy(channel::receive).isInstanceOf(ChannelClosedException.class);
    });
  }

  @Test
  @Tag("trap-4")
  void sender_cancelledAfterItsItemWasReceived_hasSentAndIsCancelledAtItsNextWait() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Coroutine<?> sender =
          Heddle.spawn(() -> {
            channel.send(1);
            log.add("sent 1");
            try {
              Heddle.delay(Duration.ofHours(1));
            } catch (Cancellation e) {
              log.add(e.getMessage());
            }
          });
      settle();
      assertThat(channel.receive()).isEqualTo(1);
      sender.cancel("no longer");
      settle();
      assertThat(log).hasSize(2);
      assertThat(log.getFirst()).isEqualTo("sent 1");
      assertThat(log.getLast().toString()).contains("no longer");
    });
  }

  @Test
  @Tag("trap-4")
  void sender_whoseTokenFiresAfterItsItemWasReceived_hasSent() {
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Channel<Integer> channel = Channel.of(0);
        Promise<String> token = new Promise<>();
        Coroutine<?> sender =
            Heddle.spawn(() -> {
              channel.send(1, token.future());
              log.add("sent 1");
            });
        settle();
        assertThat(channel.receive()).isEqualTo(1);
        token.complete("too late");
        Heddle.await(sender);
        assertThat(log).containsExactly("sent 1");
      });
      assertThat(reports.messages()).isEmpty();
    }
  }

  @Test
  @Tag("trap-4")
  void sender_whoseSwitchHandlerFailsAfterItsItemWasReceived_hasSentAndTheFailureIsReported() {
    IllegalStateException failure = new IllegalStateException("in a handler");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Channel<Integer> channel = Channel.of("jobs", 0);
        Coroutine<?> sender =
            Heddle.spawn(() -> {
              failAtNextEnter(failure);
              channel.send(1);
              log.add("sent 1");
            });
        settle();
        assertThat(channel.receive()).isEqualTo(1);
        Heddle.await(sender);
      });
      assertThat(reports.failures()).containsExactly(failure);
      assertThat(reports.messages().getFirst())
          .contains("a switch handler failed, of a coroutine that has sent to the channel 'jobs'");
    }
    assertThat(log).containsExactly("sent 1");
  }

  @Test
  @Tag("trap-4")
  void sender_whoseSwitchHandlerFailsBeforeItsItemWasReceived_hasNotSent() {
    IllegalStateException failure = new IllegalStateException("in a handler");
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Promise<String> token = new Promise<>();
      Heddle.supervise(s -> {
        Coroutine<?> sender =
            s.spawn(() -> {
              failAtNextEnter(failure);
              channel.send(1, token.future());
            });
        settle();
        token.complete("enough");
        assertThat(catchThrowable(() -> Heddle.await(sender))).isSameAs(failure);
        return null;
      });
      assertThat(channel.tryReceive()).isNull();
    });
  }

  private static void failAtNextEnter(RuntimeException failure) {
    boolean[] failed = new boolean[1];
    Heddle.addSwitchHandler((_, kind) -> {
      if (kind == Switch.ENTER && !failed[0]) {
        failed[0] = true;
        throw failure;
      }
      return true;
    });
  }

  // ---- what cancelled receivers hand back ----

  private static Coroutine<?> givenAndCancelled(Channel<Integer> channel, int item) {
    Coroutine<?> receiver = Heddle.spawn(() -> channel.receive());
    settle();
    channel.send(item);
    receiver.cancel("no longer");
    settle();
    return receiver;
  }

  @Test
  void itemHandedBack_countsToTheCapacity() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      givenAndCancelled(channel, 1);
      assertThat(channel.size()).isEqualTo(1);
      assertThat(channel.isFull()).isTrue();
      assertThat(channel.trySend(2)).isFalse();
      Coroutine<?> sender = sender(channel, 2);
      settle();
      assertThat(channel.receive()).isEqualTo(1);
      assertThat(channel.receive()).isEqualTo(2);
      Heddle.await(sender);
    });
  }

  @Test
  void itemsHandedBack_beyondTheCapacity_admitNoSender() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Coroutine<?> first = Heddle.spawn(() -> channel.receive());
      Coroutine<?> second = Heddle.spawn(() -> channel.receive());
      settle();
      channel.send(1);
      channel.send(2);
      first.cancel("no longer");
      second.cancel("no longer");
      settle();
      Coroutine<?> sender = sender(channel, 3);
      settle();
      assertThat(channel.receive()).isEqualTo(1);
      settle();
      assertThat(log).isEmpty();
      assertThat(channel.receive()).isEqualTo(2);
      Heddle.await(sender);
      assertThat(channel.receive()).isEqualTo(3);
    });
  }

  @Test
  void itemHandedBackToAConflatedChannel_isDroppedForANewerOne() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.conflated();
      Coroutine<?> receiver = Heddle.spawn(() -> channel.receive());
      settle();
      channel.send(1);
      channel.send(2);
      receiver.cancel("no longer");
      settle();
      assertThat(channel.size()).isEqualTo(1);
      assertThat(channel.receive()).isEqualTo(2);
      givenAndCancelled(channel, 3);
      channel.send(4);
      assertThat(channel.receive()).isEqualTo(4);
      assertThat(channel.isEmpty()).isTrue();
    });
  }

  @Test
  void itemsHandedBackToAConflatedChannel_leaveTheNewest() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.conflated();
      Coroutine<?> first = Heddle.spawn(() -> channel.receive());
      Coroutine<?> second = Heddle.spawn(() -> channel.receive());
      settle();
      channel.send(1);
      channel.send(2);
      first.cancel("no longer");
      second.cancel("no longer");
      settle();
      assertThat(channel.receive()).isEqualTo(2);
      assertThat(channel.isEmpty()).isTrue();
    });
  }

  @Test
  void cancel_whoseCallbackThrowsForAnItemHandedBack_failsNobody() {
    IllegalStateException failure = new IllegalStateException("in the callback");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        Channel<Integer> channel = Channel.of(1);
        Coroutine<?> receiver = Heddle.spawn(() -> channel.receive());
        settle();
        channel.send(1);
        channel.cancel(_ -> {
          throw failure;
        });
        receiver.cancel("no longer");
        assertThat(catchThrowable(() -> Heddle.await(receiver))).isInstanceOf(Cancellation.class);
      });
      assertThat(reports.failures()).containsExactly(failure);
    }
  }

  @Test
  void itemHandedBackAfterCancel_goesToTheCallback() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      Coroutine<?> receiver = Heddle.spawn(() -> channel.receive());
      settle();
      channel.send(1);
      channel.cancel(log::add);
      receiver.cancel("no longer");
      settle();
      assertThat(log).containsExactly(1);
    });
  }
}
