// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.ChannelClosedException.Reason;
import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.EventsLostException;
import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.event.source.EventSource;
import dev.heddle.hosting.StackEnd;
import dev.heddle.simulation.VirtualTime;
import dev.heddle.sync.Broadcast.Overflow;
import dev.heddle.sync.Broadcast.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(300)
class BroadcastTest {
  private final List<Object> log = new ArrayList<>();

  private Coroutine<?> sender(Broadcast<Integer> broadcast, int item) {
    Coroutine<?> sender =
        Heddle.spawn(
            "sender of " + item,
            () -> {
              broadcast.send(item);
              log.add("sent " + item);
            });
    Heddle.yieldNow();
    return sender;
  }

  private static List<Integer> rest(Subscription<Integer> subscription) {
    List<Integer> items = new ArrayList<>();
    for (Integer item = subscription.tryReceive(); item != null; item = subscription.tryReceive()) {
      items.add(item);
    }
    return items;
  }

  // ---- what a reader receives ----

  @ParameterizedTest
  @EnumSource(Overflow.class)
  void everyReader_receivesEveryItem_thatWasSentSinceItSubscribed(Overflow overflow) {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(8, overflow);
      broadcast.send(0); // for nobody
      Subscription<Integer> early = broadcast.subscribe();
      broadcast.send(1);
      Subscription<Integer> late = broadcast.subscribe();
      broadcast.send(2);
      broadcast.send(3);
      assertThat(early.size()).isEqualTo(3);
      assertThat(rest(early)).containsExactly(1, 2, 3);
      assertThat(late.receive()).isEqualTo(2);
      assertThat(late.size()).isEqualTo(1);
      assertThat(rest(late)).containsExactly(3);
      assertThat(broadcast.size()).isZero();
      assertThat(early.tryReceive()).isNull();
    });
  }

  @Test
  void waitingReaders_allReceiveTheItem() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.SUSPEND);
      for (int i = 0; i < 4; i++) {
        int number = i;
        Subscription<Integer> mine = broadcast.subscribe();
        Heddle.launch("reader " + i, () -> log.add(number + " got " + mine.receive()));
      }
      Heddle.yieldNow();
      broadcast.send(7);
    });
    assertThat(log).containsExactly("0 got 7", "1 got 7", "2 got 7", "3 got 7");
  }

  @Test
  void items_areHeldUntilTheSlowestReaderHasReceivedThem() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(4, Overflow.LAG);
      Subscription<Integer> fast = broadcast.subscribe();
      Subscription<Integer> slow = broadcast.subscribe();
      IntStream.range(0, 3).forEach(broadcast::send);
      assertThat(rest(fast)).containsExactly(0, 1, 2);
      assertThat(broadcast.size()).isEqualTo(3);
      assertThat(slow.receive()).isZero();
      assertThat(broadcast.size()).isEqualTo(2);
      slow.close();
      assertThat(broadcast.size()).isZero();
    });
  }

  @Test
  void loop_overASubscription_endsWithTheBroadcast() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(2, Overflow.SUSPEND);
      Subscription<Integer> subscription = broadcast.subscribe();
      Coroutine<?> reader =
          Heddle.spawn(
              "reader",
              () -> {
                try (subscription) {
                  subscription.forEach(log::add);
                }
              });
      IntStream.range(0, 20).forEach(broadcast::send);
      broadcast.close();
      reader.await();
      assertThat(broadcast.subscribers()).isZero();
      Iterator<Integer> ended = subscription.iterator();
      assertThat(ended.hasNext()).isFalse();
      assertThatThrownBy(ended::next).isInstanceOf(NoSuchElementException.class);
    });
    assertThat(log).containsExactlyElementsOf(IntStream.range(0, 20).boxed().toList());
  }

  // ---- LAG ----

  @Test
  void slowReader_losesTheOldest_andIsToldHowMany() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of("prices", 3, Overflow.LAG);
      Subscription<Integer> slow = broadcast.subscribe();
      Subscription<Integer> fast = broadcast.subscribe();
      for (int i = 0; i < 8; i++) {
        long before = Heddle.counters().switches();
        broadcast.send(i);
        assertThat(Heddle.counters().switches()).isEqualTo(before);
        assertThat(fast.receive()).isEqualTo(i);
      }
      assertThat(slow.size()).isEqualTo(3);
      assertThatThrownBy(slow::receive)
          .isInstanceOf(EventsLostException.class)
          .hasMessageContainingAll("5 items were lost", "'prices'", "more than 3 behind")
          .extracting(e -> ((EventsLostException) e).count())
          .isEqualTo(5L);
      assertThat(slow.lost()).isEqualTo(5);
      assertThat(rest(slow)).containsExactly(5, 6, 7);
      assertThat(fast.lost()).isZero();
    });
  }

  @Test
  void loop_overASubscriptionThatLost_throwsAndCanGoOn() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.LAG);
      Subscription<Integer> slow = broadcast.subscribe();
      broadcast.send(1);
      broadcast.send(2);
      broadcast.close();
      Iterator<Integer> items = slow.iterator();
      assertThat(items.hasNext()).isTrue();
      assertThatThrownBy(items::next).isInstanceOf(EventsLostException.class);
      assertThat(items.next()).isEqualTo(2);
      assertThat(items.hasNext()).isFalse();
    });
  }

  // ---- SUSPEND ----

  @Test
  void slowReader_holdsTheSenders_inTheOrderOfArrival() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.SUSPEND);
      Subscription<Integer> slow = broadcast.subscribe();
      Subscription<Integer> fast = broadcast.subscribe();
      broadcast.send(0);
      assertThat(rest(fast)).containsExactly(0);
      sender(broadcast, 1);
      sender(broadcast, 2);
      assertThat(broadcast.trySend(3)).isFalse();
      assertThat(log).isEmpty();
      assertThat(slow.receive()).isZero();
      Heddle.yieldNow();
      assertThat(log).containsExactly("sent 1");
      assertThat(broadcast.trySend(3)).isFalse();
      assertThat(rest(fast)).containsExactly(1);
      assertThat(slow.receive()).isEqualTo(1);
      Heddle.yieldNow();
      assertThat(log).containsExactly("sent 1", "sent 2");
      assertThat(rest(slow)).containsExactly(2);
    });
  }

  @Test
  void item_ofASenderThatWaited_wakesTheReadersThatWait() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.SUSPEND);
      Subscription<Integer> slow = broadcast.subscribe();
      Subscription<Integer> fast = broadcast.subscribe();
      broadcast.send(0);
      assertThat(fast.receive()).isZero();
      sender(broadcast, 1);
      Coroutine<Integer> reader = Heddle.spawn(() -> fast.receive());
      Heddle.yieldNow();
      assertThat(slow.receive()).isZero();
      assertThat(reader.await()).isEqualTo(1);
    });
  }

  @Test
  void close_ofTheSlowestSubscription_letsTheSendersGoOn() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(2, Overflow.SUSPEND);
      Subscription<Integer> slow = broadcast.subscribe();
      Subscription<Integer> other = broadcast.subscribe();
      broadcast.send(0);
      broadcast.send(1);
      Coroutine<?> sender = sender(broadcast, 2);
      assertThat(rest(other)).containsExactly(0, 1);
      slow.close();
      slow.close();
      sender.await();
      assertThat(rest(other)).containsExactly(2);
      other.close();
      broadcast.send(3); // for nobody
      assertThat(broadcast.size()).isZero();
    });
  }

  @Test
  void close_ofTheLastSubscription_letsAllSendersGoOn() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.SUSPEND);
      Subscription<Integer> only = broadcast.subscribe();
      broadcast.send(0);
      sender(broadcast, 1);
      sender(broadcast, 2);
      only.close();
      Heddle.yieldNow();
      assertThat(log).containsExactly("sent 1", "sent 2");
      assertThat(broadcast.size()).isZero();
    });
  }

  // ---- waits that end otherwise ----

  @Test
  @Tag("trap-4")
  void sender_whoseWaitEndsOtherwise_hasSentNothing() {
    VirtualTime.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.SUSPEND);
      Subscription<Integer> reader = broadcast.subscribe();
      broadcast.send(0);
      Deadline soon = Deadline.after(Duration.ofMillis(1));
      assertThatThrownBy(() -> broadcast.send(1, soon)).isInstanceOf(DeadlineException.class);
      Promise<String> token = new Promise<>();
      Heddle.launch("token", () -> token.complete("enough"));
      assertThatThrownBy(() -> broadcast.send(2, token.future()))
          .isInstanceOf(WaitCancelledException.class);
      Coroutine<?> cancelled = sender(broadcast, 3);
      cancelled.cancel("leave");
      assertThatThrownBy(cancelled::await).isInstanceOf(Cancellation.class);
      assertThat(broadcast.info()).contains("0 sending");
      assertThat(rest(reader)).containsExactly(0);
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  @Tag("trap-4")
  void sender_whoseItemWasAccepted_succeedsThoughItIsCancelledBeforeItRuns() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.SUSPEND);
      Subscription<Integer> reader = broadcast.subscribe();
      broadcast.send(0);
      Coroutine<?> sender = sender(broadcast, 1);
      assertThat(reader.receive()).isZero();
      sender.cancel("too late");
      broadcast.close();
      Heddle.yieldNow();
      assertThat(log).containsExactly("sent 1");
      assertThat(rest0(reader)).containsExactly(1);
    });
  }

  private static List<Integer> rest0(Subscription<Integer> subscription) {
    List<Integer> items = new ArrayList<>();
    subscription.forEach(items::add);
    return items;
  }

  @Test
  @Tag("trap-1")
  void reader_wokenAndCancelledBeforeItRuns_leavesTheItemToTheNextCall() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.SUSPEND);
      Subscription<Integer> subscription = broadcast.subscribe();
      Coroutine<?> reader = Heddle.spawn(() -> subscription.receive());
      Heddle.yieldNow();
      broadcast.send(1);
      reader.cancel("leave");
      assertThatThrownBy(reader::await).isInstanceOf(Cancellation.class);
      assertThat(subscription.receive()).isEqualTo(1);
    });
  }

  @Test
  void reader_whoseWaitIsBounded_leavesNothingBehind() {
    VirtualTime.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.LAG);
      Subscription<Integer> subscription = broadcast.subscribe();
      Deadline soon = Deadline.after(Duration.ofMillis(1));
      assertThatThrownBy(() -> subscription.receive(soon)).isInstanceOf(DeadlineException.class);
      Promise<String> token = new Promise<>();
      Heddle.launch("token", () -> token.complete("enough"));
      assertThatThrownBy(() -> subscription.receive(token.future()))
          .isInstanceOf(WaitCancelledException.class);
      assertThat(broadcast.info()).endsWith("0 sending, 0 receiving");
      broadcast.send(1);
      assertThat(subscription.receive(soon)).isEqualTo(1); // it bounds only waits
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  // ---- closing ----

  @Test
  void close_leavesReadersTheRest_andRefusesSenders() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of("news", 1, Overflow.SUSPEND);
      Subscription<Integer> subscription = broadcast.subscribe();
      broadcast.send(1);
      Heddle.launch("closer", broadcast::close);
      assertThatThrownBy(() -> broadcast.send(2))
          .isInstanceOf(ChannelClosedException.class)
          .hasMessage(
              "the broadcast 'news' (capacity 1) was closed by coroutine-2 'closer'; stop sending,"
                  + " or open a new one");
      broadcast.close();
      assertThat(broadcast.isClosed()).isTrue();
      assertThatThrownBy(() -> broadcast.trySend(3)).isInstanceOf(ChannelClosedException.class);
      assertThat(subscription.receive()).isEqualTo(1);
      assertThatThrownBy(subscription::receive)
          .hasMessage(
              "the broadcast 'news' (capacity 1) was closed by coroutine-2 'closer', and nothing is"
                  + " left for this reader; stop receiving");
      assertThatThrownBy(subscription::tryReceive).isInstanceOf(ChannelClosedException.class);
    });
  }

  @Test
  void close_wakesReadersThatWait() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.LAG);
      Subscription<Integer> subscription = broadcast.subscribe();
      Heddle.launch("closer", broadcast::close);
      assertThatThrownBy(subscription::receive).isInstanceOf(ChannelClosedException.class);
    });
  }

  @Test
  void close_withAFailure_isTheCauseAfterTheRest() {
    Heddle.run(() -> {
      IOException failure = new IOException("source");
      Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.LAG);
      Subscription<Integer> subscription = broadcast.subscribe();
      broadcast.send(1);
      broadcast.close(failure);
      assertThatThrownBy(() -> subscription.forEach(log::add))
          .isInstanceOf(ChannelClosedException.class)
          .hasCause(failure);
      assertThatThrownBy(() -> broadcast.send(2)).hasCause(failure);
    });
    assertThat(log).containsExactly(1);
  }

  @Test
  void close_ofASubscription_endsItsWaitingReader_andNoOther() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.LAG);
      Subscription<Integer> closed = broadcast.subscribe();
      Subscription<Integer> open = broadcast.subscribe();
      Coroutine<Integer> other = Heddle.spawn(() -> open.receive());
      Heddle.launch("closer", closed::close);
      assertThatThrownBy(closed::receive)
          .isInstanceOf(ChannelClosedException.class)
          .hasMessageContaining("this subscription to a broadcast was closed; subscribe again");
      Heddle.yieldNow();
      assertThat(other.isDone()).isFalse();
      broadcast.send(1);
      assertThat(other.await()).isEqualTo(1);
      assertThat(closed.size()).isZero();
    });
  }

  // ---- misuse, and what reports say ----

  @Test
  void misuse_isRefused() {
    Heddle.run(() -> {
      assertThatThrownBy(() -> Broadcast.of(0, Overflow.LAG))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("holds at least one item, not 0");
      Broadcast<Integer> broadcast = Broadcast.of("news", 1, Overflow.LAG);
      assertThatThrownBy(() -> broadcast.send(null)).isInstanceOf(NullPointerException.class);
      Subscription<Integer> subscription = broadcast.subscribe();
      Coroutine<Integer> first = Heddle.spawn("first", () -> subscription.receive());
      Heddle.yieldNow();
      assertThatThrownBy(subscription::receive)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("'first'", "waits in this subscription", "subscribe for each");
      Loop<?> other =
          Loop.start(() -> {
            assertThatThrownBy(() -> broadcast.send(1)).hasMessageContaining("another loop");
            assertThatThrownBy(broadcast::subscribe).hasMessageContaining("another loop");
            assertThatThrownBy(subscription::receive).hasMessageContaining("another loop");
            assertThatThrownBy(subscription::close).hasMessageContaining("another loop");
            return 1;
          });
      assertThat(other.join()).isEqualTo(1);
      broadcast.send(1);
      assertThat(first.await()).isEqualTo(1);
    });
  }

  @Test
  void readerThatHoldsTheSender_andWaitsForIt_isACycleInTheDeadlockReport() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Broadcast<Integer> broadcast = Broadcast.of("news", 1, Overflow.SUSPEND);
              Coroutine<?>[] reader = new Coroutine<?>[1];
              Coroutine<?> sender =
                  Heddle.spawn(
                      "sender",
                      () -> {
                        Heddle.yieldNow();
                        broadcast.send(1);
                        broadcast.send(2);
                      });
              reader[0] =
                  Heddle.spawn(
                      "reader",
                      () -> {
                        var _ = broadcast.subscribe();
                        sender.await();
                      });
            }))
        .isInstanceOf(DeadlockError.class)
        .hasMessageMatching(
            "(?s).*'sender'.* waits for room in the broadcast 'news' with 1 of 1 item for 1"
                + " reader, 1 sending, 0 receiving, held by \\S+ 'reader'.*");
  }

  @Test
  void closeWith_endsReadersWithTheScope_andLeavesNothingInOneThatLives() {
    Heddle.run(() -> {
      Scope scope = Scope.open();
      Broadcast<Integer> bound = Broadcast.<Integer>of(2, Overflow.SUSPEND).closeWith(scope);
      Broadcast.of(2, Overflow.SUSPEND).closeWith(scope).close();
      assertThat(EventSource.of(scope).subscribers()).isEqualTo(1);
      Subscription<Integer> reader = bound.subscribe();
      bound.send(1);
      scope.close();
      assertThat(bound.isClosed()).isTrue();
      assertThat(reader.stream()).containsExactly(1);
      assertThatThrownBy(reader::receive)
          .isInstanceOfSatisfying(
              ChannelClosedException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.SCOPE_ENDED));
    });
  }

  @Test
  @Tag("trap-23")
  void send_whereTheStackEnds_wakesTheReaders() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.LAG);
      Subscription<Integer> subscription = broadcast.subscribe();
      Coroutine<Integer> reader = Heddle.spawn(() -> subscription.receive());
      Heddle.yieldNow();
      assertThat(StackEnd.runAt(() -> broadcast.send(1))).isTrue();
      assertThat(reader.await()).isEqualTo(1);
    });
  }

  @Test
  @Tag("trap-23")
  void receive_whereTheStackEnds_wakesTheSender() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(1, Overflow.SUSPEND);
      Subscription<Integer> subscription = broadcast.subscribe();
      broadcast.send(1);
      Coroutine<?> sender = sender(broadcast, 2);
      assertThat(StackEnd.runAt(() -> log.add(subscription.tryReceive()))).isTrue();
      sender.await();
      assertThat(log).containsExactly(1, "sent 2");
    });
  }

  @Test
  void capacity_withoutBound_takesOnlyTheMemoryOfItsItems() {
    Heddle.run(() -> {
      Broadcast<Integer> broadcast = Broadcast.of(Integer.MAX_VALUE, Overflow.SUSPEND);
      Subscription<Integer> fast = broadcast.subscribe();
      Subscription<Integer> slow = broadcast.subscribe();
      for (int i = 0; i < 500; i++) {
        broadcast.send(i);
        if (i < 40) {
          assertThat(fast.receive()).isEqualTo(i);
        }
        if (i < 30) {
          assertThat(slow.receive()).isEqualTo(i);
        }
      }
      for (int i = 30; i < 500; i++) {
        assertThat(slow.receive()).isEqualTo(i);
      }
      assertThat(broadcast.size()).isEqualTo(460);
      for (int i = 40; i < 500; i++) {
        assertThat(fast.receive()).isEqualTo(i);
      }
      assertThat(broadcast.size()).isZero();
      assertThat(broadcast.capacity()).isEqualTo(Integer.MAX_VALUE);
    });
  }

  @Test
  void readerThatEndedWithoutClosing_isNamedInTheDeadlockReport() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Broadcast<String> broadcast = Broadcast.of("prices", 1, Overflow.SUSPEND);
              Heddle.await(
                  Heddle.spawn(
                      "reader",
                      () -> {
                        var _ = broadcast.subscribe();
                      }));
              broadcast.send("first");
              broadcast.send("second");
            }))
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("held up by")
        .hasMessageContaining("'reader', which has ended without close()");
  }
}
