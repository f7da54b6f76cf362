// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.ChannelClosedException.Reason;
import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Reports;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.Switch;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import dev.heddle.event.source.EventSource;
import dev.heddle.hosting.StackEnd;
import dev.heddle.simulation.Simulation;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ChannelTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final List<Object> log = new ArrayList<>();

  private Coroutine<?> receiver(Channel<?> channel, String name) {
    return Heddle.spawn(
        name,
        () -> {
          Object item = channel.receive();
          log.add(name + " got " + item);
          return item;
        });
  }

  private <T> Coroutine<?> sender(Channel<T> channel, T item) {
    return Heddle.spawn(
        "sender of " + item,
        () -> {
          channel.send(item);
          log.add("sent " + item);
        });
  }

  /// Lets every coroutine that is ready run until it waits.
  private static void settle() {
    for (int i = 0; i < 10; i++) {
      Heddle.yieldNow();
    }
  }

  private static Event elapsed() {
    Event event = Heddle.timer(Duration.ofNanos(1));
    Heddle.await(event);
    return event;
  }

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

  // ---- closing ----

  @Test
  @Tag("loop-166")
  void close_wakesThoseThatWaitAndIsIdempotent() {
    Heddle.run(() -> {
      Channel<Integer> empty = Channel.of("jobs", 1);
      Channel<Integer> full = Channel.of(1);
      full.send(0);
      Heddle.supervise(s -> {
        Coroutine<?> receiver = s.spawn(() -> empty.receive());
        Coroutine<?> sender = s.spawn(() -> full.send(1));
        settle();
        empty.close();
        empty.close();
        full.close();
        log.add("closed");
        for (Coroutine<?> waiting : List.of(receiver, sender)) {
          assertThat(catchThrowable(() -> Heddle.await(waiting)))
              .isInstanceOfSatisfying(
                  ChannelClosedException.class,
                  e -> assertThat(e.reason()).isEqualTo(Reason.CLOSED));
        }
        assertThatThrownBy(() -> empty.send(1))
            .hasMessage("the channel 'jobs' is closed; it takes no more items");
        assertThatThrownBy(empty::receive)
            .hasMessage("the channel 'jobs' is closed; nothing is left in it");
        assertThat(full.receive()).isEqualTo(0); // what was in it is still received
        return null;
      });
    });
  }

  @Test
  @Tag("loop-182")
  void close_ofARendezvousWithASender_failsBothSides() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Heddle.supervise(s -> {
        Coroutine<?> sender = s.spawn(() -> channel.send(1));
        settle();
        channel.close();
        assertThatThrownBy(channel::receive).isInstanceOf(ChannelClosedException.class);
        assertThatThrownBy(() -> Heddle.await(sender)).isInstanceOf(ChannelClosedException.class);
        return null;
      });
    });
  }

  @Test
  @Tag("loop-180")
  void close_afterTheItemWasReceived_doesNotFailTheSender() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Coroutine<?> sender = sender(channel, 1);
      settle();
      assertThat(channel.receive()).isEqualTo(1);
      channel.close();
      Heddle.await(sender);
      assertThat(log).containsExactly("sent 1");
    });
  }

  @Test
  void close_withAFailure_isTheCauseOnBothSides() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(1);
      channel.send(1);
      IllegalStateException failure = new IllegalStateException("source gone");
      channel.close(failure);
      assertThatThrownBy(() -> channel.send(2)).hasCause(failure);
      assertThatThrownBy(() -> channel.forEach(log::add))
          .isInstanceOf(ChannelClosedException.class)
          .hasCause(failure);
      assertThat(log).containsExactly(1);
    });
  }

  @Test
  void cancel_handsOverWhatIsLeftTheOldestFirst() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(2);
      channel.send(1);
      channel.send(2);
      Heddle.supervise(s -> {
        Coroutine<?> sender = s.spawn(() -> channel.send(3));
        settle();
        channel.cancel(log::add);
        assertThat(log).containsExactly(1, 2);
        assertThat(catchThrowable(() -> Heddle.await(sender)))
            .isInstanceOfSatisfying(
                ChannelClosedException.class,
                e -> assertThat(e.reason()).isEqualTo(Reason.CANCELLED));
        assertThatThrownBy(() -> channel.iterator().hasNext())
            .isInstanceOf(ChannelClosedException.class);
        return null;
      });
    });
  }

  @Test
  @Tag("loop-192")
  void closeWith_closesTheChannelAtTheEndOfTheScope_andTheFirstReasonStays() {
    Heddle.run(() -> {
      Scope scope = Scope.open();
      Channel<Integer> bound = Channel.<Integer>of(1).closeWith(scope);
      Channel<Integer> closedBefore = Channel.<Integer>of(1).closeWith(scope);
      bound.send(1);
      closedBefore.close();
      scope.join();
      scope.close();
      settle();
      assertThat(catchThrowable(() -> bound.send(2)))
          .isInstanceOfSatisfying(
              ChannelClosedException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.SCOPE_ENDED));
      assertThat(bound.receive()).isEqualTo(1);
      assertThat(catchThrowable(() -> closedBefore.send(2)))
          .isInstanceOfSatisfying(
              ChannelClosedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CLOSED));
    });
  }

  @Test
  void closeWith_theRootScope_isAllowedAndClosesNothingWhileTheLoopRuns() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.<Integer>of(1).closeWith(Scope.root());
      channel.closeWith(Scope.current());
      channel.send(1);
      settle();
      assertThat(channel.isClosed()).isFalse();
      assertThat(channel.receive()).isEqualTo(1);
    });
  }

  @Test
  void closeWith_aScopeThatOutlivesTheChannel_leavesNothingInIt() {
    Heddle.run(() -> {
      Scope first = Scope.open();
      Scope second = Scope.detached();
      for (int i = 0; i < 100; i++) {
        Channel.of(1).closeWith(first).closeWith(second).close();
      }
      assertThat(EventSource.of(first).subscribers()).isZero();
      assertThat(EventSource.of(second).subscribers()).isZero();
      second.cancel("over");
      first.close();
    });
  }

  @Test
  void closeWith_aScopeThatHasEnded_closesAtOnce() {
    Heddle.run(() -> {
      Scope scope = Scope.open();
      scope.close();
      Channel<Integer> channel = Channel.<Integer>of(1).closeWith(scope);
      assertThat(closedBy(channel::receive).reason()).isEqualTo(Reason.SCOPE_ENDED);
    });
  }

  @Test
  void closeWith_doesNotTakeTheFailureOfTheScope() {
    IllegalStateException failure = new IllegalStateException("of a member");
    assertThatThrownBy(() ->
            Heddle.run(() ->
                Heddle.scope(s -> {
                  Scope child = s.child();
                  Channel.of(1).closeWith(child);
                  child.launch(
                      "member",
                      () -> {
                        throw failure;
                      });
                  return null;
                })))
        .isSameAs(failure);
  }

  // ---- bounded waits ----

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
  @Tag("loop-188")
  void limit_startsAnewWithEachItem() {
    Simulation simulation = new Simulation(1);
    simulation.run(() -> {
      Channel<Integer> channel = Channel.<Integer>of(0).closeWhenStuck(Duration.ofSeconds(1));
      Heddle.spawn(() -> {
        for (int i = 0; i < 3; i++) {
          Heddle.delay(Duration.ofMillis(500));
          channel.send(i);
        }
      });
      for (int i = 0; i < 3; i++) {
        log.add(channel.receive());
      }
      log.add(closedBy(channel::receive).reason());
      return null;
    });
    assertThat(log).containsExactly(0, 1, 2, Reason.DEADLOCK);
    assertThat(simulation.elapsed()).isEqualTo(Duration.ofMillis(2_500));
  }

  private static ChannelClosedException closedBy(Runnable wait) {
    return (ChannelClosedException) catchThrowable(wait::run);
  }

  @Test
  void limit_holdsForSendersToo_andForTheFirstThatWaitsWhenItIsSet() {
    Simulation simulation = new Simulation(1);
    simulation.run(() -> {
      Channel<Integer> channel = Channel.of(0);
      Coroutine<?> sender =
          Heddle.spawn(() -> {
            log.add(closedBy(() -> channel.send(1)).reason());
            log.add(channel.size());
          });
      settle();
      channel.closeWhenStuck(Duration.ofMillis(300));
      Heddle.await(sender);
      return null;
    });
    assertThat(log).containsExactly(Reason.DEADLOCK, 0);
    assertThat(simulation.elapsed()).isEqualTo(Duration.ofMillis(300));
  }

  @Test
  void limit_whoseWaiterHasLeft_holdsUpNothing() {
    Simulation simulation = new Simulation(1);
    simulation.run(() -> {
      Channel<Integer> channel = Channel.<Integer>of(0).closeWhenStuck(Duration.ofHours(1));
      assertThatThrownBy(() -> channel.receive(Deadline.after(Duration.ofMillis(5))))
          .isInstanceOf(DeadlineException.class);
      Heddle.delay(Duration.ofHours(2));
      assertThat(channel.isClosed()).isFalse();
      return null;
    });
  }

  @Test
  @Tag("loop-189")
  void softLimit_withNothingElseAlive_closesAtOnce() {
    Simulation simulation = new Simulation(1);
    simulation.run(() -> {
      Heddle.scope(scope -> {
        Channel<Integer> channel =
            Channel.<Integer>of("jobs", 0).closeOnDeadlock(Duration.ofSeconds(5));
        ChannelClosedException closed = closedBy(channel::receive);
        log.add(closed.reason());
        assertThat(closed).hasMessageContaining("the channel 'jobs' is closed, because");
        scope.spawn(() -> log.add("the scope goes on")).await();
        return null;
      });
      return null;
    });
    assertThat(log).containsExactly(Reason.DEADLOCK, "the scope goes on");
    assertThat(simulation.elapsed()).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void softLimit_besideOthersThatLive_runsOutInItsTime() {
    Simulation simulation = new Simulation(1);
    simulation.run(() -> {
      Heddle.spawn(() -> Heddle.delay(Duration.ofSeconds(60)));
      Channel<Integer> channel = Channel.<Integer>of(0).closeOnDeadlock(Duration.ofSeconds(5));
      log.add(closedBy(channel::receive).reason());
      log.add(simulation.elapsed().toSeconds());
      return null;
    });
    assertThat(log).containsExactly(Reason.DEADLOCK, 5L);
  }

  @Test
  @Tag("loop-185")
  void loop_overAChannelThatIsClosedByADeadlock_throws() {
    new Simulation(1)
        .run(() -> {
          Channel<Integer> channel = Channel.<Integer>of(1).closeOnDeadlock(Duration.ofSeconds(5));
          channel.send(1);
          ChannelClosedException closed = closedBy(() -> channel.forEach(log::add));
          assertThat(closed.reason()).isEqualTo(Reason.DEADLOCK);
          return null;
        });
    assertThat(log).containsExactly(1);
  }

  @Test
  void softLimits_ofTwoChannels_endOneAfterTheOther() {
    new Simulation(1)
        .run(() -> {
          Channel<Integer> first = Channel.<Integer>of(0).closeOnDeadlock(Duration.ofSeconds(5));
          Channel<Integer> second = Channel.<Integer>of(0).closeOnDeadlock(Duration.ofSeconds(5));
          Coroutine<?> producer =
              Heddle.spawn(() -> {
                log.add(closedBy(first::receive).reason());
                second.send(1); // what the other one waits for
              });
          settle();
          Coroutine<?> consumer = Heddle.spawn(() -> log.add(second.receive()));
          Heddle.await(producer);
          Heddle.await(consumer);
          return null;
        });
    assertThat(log).containsExactlyInAnyOrder(Reason.DEADLOCK, 1);
  }

  @Test
  void limit_withACancelledFutureOnly_closesNothing() {
    new Simulation(1)
        .run(() -> {
          Channel<Integer> channel = Channel.<Integer>of(0).closeWhenStuck(Duration.ofSeconds(1));
          channel.receiveAsync().cancel("no longer");
          assertThat(channel.info()).contains("0 receiving");
          Heddle.delay(Duration.ofSeconds(5));
          assertThat(channel.isClosed()).isFalse();
          return null;
        });
  }

  @Test
  void limit_thatRunsOut_namesThoseWhoCouldHaveHelped() {
    new Simulation(1)
        .run(() -> {
          Channel<Integer> channel = Channel.<Integer>of("jobs", 0).closeWhenStuck(LIMIT);
          Promise<String> never = new Promise<>("the next request");
          Coroutine<?> producer =
              Heddle.spawn(
                  "producer",
                  () -> {
                    channel.send(1);
                    never.future().await();
                  });
          Coroutine<?> consumer =
              Heddle.spawn("consumer", () -> log.add(closedBy(() -> channel.forEach(log::add))));
          settle();
          assertThat(channel.info())
              .endsWith("1 receiving, to be closed when stuck for PT5S, which runs");
          Heddle.await(consumer);
          never.complete("at last");
          Heddle.await(producer);
          return null;
        });
    assertThat(log.getFirst()).isEqualTo(1);
    assertThat((ChannelClosedException) log.getLast())
        .hasMessageContaining("coroutines waited for it in vain for PT5S")
        .hasMessageContaining("the last sender: coroutine-2 'producer', which waits for")
        .hasMessageContaining("the next request")
        .hasMessageContaining("the last receiver: coroutine-3 'consumer', which waits for");
  }

  @Test
  void limit_whenAnItemComes_startsAnewForTheOthers() {
    Simulation simulation = new Simulation(1);
    simulation.run(() -> {
      Channel<Integer> channel = Channel.<Integer>of(0).closeWhenStuck(Duration.ofSeconds(2));
      Coroutine<?> first = receiver(channel, "first");
      settle();
      Coroutine<?> second = Heddle.spawn(() -> log.add(closedBy(channel::receive).reason()));
      settle();
      Heddle.delay(Duration.ofSeconds(1));
      channel.send(1);
      Heddle.await(first);
      Heddle.await(second);
      return null;
    });
    assertThat(log).containsExactly("first got 1", Reason.DEADLOCK);
    assertThat(simulation.elapsed()).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void limit_thatNobodyWaitsFor_hidesNoDeadlock() {
    Simulation simulation = new Simulation(1);
    assertThatThrownBy(() ->
            simulation.run(() -> {
              Channel<Integer> channel = Channel.<Integer>of(0).closeWhenStuck(LIMIT);
              assertThatThrownBy(() -> channel.receive(Deadline.after(Duration.ofSeconds(1))))
                  .isInstanceOf(DeadlineException.class);
              return Channel.of(0).receive();
            }))
        .isInstanceOf(DeadlockError.class);
    assertThat(simulation.elapsed()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void limits_ofTheTwoSides_holdForTheirOwn() {
    Duration brief = Duration.ofSeconds(1);
    Duration late = Duration.ofSeconds(9);
    Simulation simulation = new Simulation(1);
    simulation.run(() -> {
      Channel<Integer> in = Channel.<Integer>of(0).closeWhenStuck(brief, late);
      log.add(closedBy(in::receive).reason());
      log.add(simulation.elapsed().toSeconds());
      Channel<Integer> out = Channel.<Integer>of(0).closeWhenStuck(brief, late);
      log.add(closedBy(() -> out.send(1)).reason());
      log.add(simulation.elapsed().toSeconds());
      return null;
    });
    assertThat(log).containsExactly(Reason.DEADLOCK, 1L, Reason.DEADLOCK, 10L);
  }

  @Test
  void limit_thatRanOut_isInTheReportOfALaterDeadlock() {
    assertThatThrownBy(() ->
            new Simulation(1)
                .run(() -> {
                  Channel<Integer> jobs = Channel.<Integer>of("jobs", 0).closeOnDeadlock(LIMIT);
                  log.add(closedBy(jobs::receive).reason());
                  Channel<Integer> answers = Channel.of("answers", 0);
                  return answers.receive();
                }))
        .isInstanceOf(DeadlockError.class)
        .hasMessageContaining("an item from the channel 'answers'")
        .hasMessageContaining("Channels that were closed because they were stuck:")
        .hasMessageContaining("the channel 'jobs' with 0 of 0 items, 0 sending, 1 receiving")
        .hasMessageContaining("waited for in vain for PT5S (the last sender: none has sent");
    assertThat(log).containsExactly(Reason.DEADLOCK);
  }

  @Test
  void limit_thatIsDueWhenAnItemComes_closesNothing() {
    VirtualTime.runWithPauses(pause -> {
      Channel<Integer> channel = Channel.<Integer>of(0).closeWhenStuck(LIMIT);
      Coroutine<?> receiver = receiver(channel, "r");
      settle();
      pause.accept(LIMIT);
      channel.send(1); // before the loop has looked at the clock
      Heddle.await(receiver);
      settle();
      assertThat(channel.isClosed()).isFalse();
    });
    assertThat(log).containsExactly("r got 1");
  }

  // ---- where the stack ends ----

  @Test
  @Tag("trap-23")
  void close_whereTheStackEnds_wakesAllThatWait() {
    Heddle.run(() -> {
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

  @Test
  void limit_thatIsNotPositive_isRefused() {
    Heddle.run(() ->
        assertThatThrownBy(() -> Channel.of(1).closeWhenStuck(Duration.ZERO))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("a limit of PT0S; it must be positive"));
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
}
