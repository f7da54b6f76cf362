// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.ChannelClosedException;
import dev.heddle.ChannelClosedException.Reason;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.source.EventSource;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How a channel is closed or cancelled, by a call or by the end of its scope.
@Timeout(300)
class ChannelCloseTest extends ChannelUsers {
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
            .hasMessage(
                "the channel 'jobs' (capacity 1) was closed by coroutine-1 'main'; stop sending, or"
                    + " open a new one");
        assertThatThrownBy(empty::receive)
            .hasMessage(
                "the channel 'jobs' (capacity 1) was closed by coroutine-1 'main', and nothing is"
                    + " left in it; stop receiving");
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
  void cancel_withoutACallback_dropsWhatIsLeft_andWhatComesBackLater() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(2);
      Channel<Integer> awaited = Channel.of(1);
      channel.send(1);
      Heddle.supervise(s -> {
        Coroutine<?> receiver = s.spawn(() -> awaited.receive());
        settle();
        awaited.send(2);
        receiver.cancel("before it continues");
        channel.cancel();
        awaited.cancel();
        settle();
        for (Channel<Integer> each : List.of(channel, awaited)) {
          assertThat(each.size()).isZero();
          assertThat(closedBy(each::receive).reason()).isEqualTo(Reason.CANCELLED);
        }
        return null;
      });
    });
  }

  // ---- the last item ----

  private void awaitDrained(Channel<?> channel) {
    Heddle.spawn(() -> {
      Heddle.await(channel.drained());
      log.add("drained");
    });
    settle();
  }

  @Test
  void drained_firesWhenTheLastItemOfAClosedChannelIsTaken() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(2);
      channel.send(1);
      channel.send(2);
      awaitDrained(channel);
      channel.close();
      assertThat(channel.receive()).isEqualTo(1);
      settle();
      assertThat(log).isEmpty();
      assertThat(channel.tryReceive()).isEqualTo(2);
      settle();
      assertThat(log).containsExactly("drained");
    });
  }

  @Test
  void drained_ofAnEmptyChannel_firesWhenItIsClosed() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(2);
      channel.send(1);
      assertThat(channel.receive()).isEqualTo(1);
      awaitDrained(channel);
      assertThat(log).isEmpty();
      channel.close();
      settle();
      assertThat(log).containsExactly("drained");
      Heddle.await(channel.drained()); // it stays so
    });
  }

  @Test
  void drained_firesWhenTheChannelIsCancelled() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(2);
      channel.send(1);
      awaitDrained(channel);
      channel.cancel();
      settle();
      assertThat(log).containsExactly("drained");
    });
  }

  @Test
  void drained_firesAgainForAnItemThatWasHandedBack() {
    Heddle.run(() -> {
      Channel<Integer> channel = Channel.of(2);
      Coroutine<?> receiver = Heddle.spawn(() -> channel.receive());
      settle();
      channel.send(1);
      receiver.cancel("before it continues");
      channel.close();
      assertThat(EventSource.of(channel.drained()).isClosed()).isTrue();
      settle(); // the receiver hands the item back
      awaitDrained(channel);
      assertThat(log).isEmpty();
      assertThat(channel.receive()).isEqualTo(1);
      settle();
      assertThat(log).containsExactly("drained");
    });
  }

  // ---- the scope of a channel ----

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
}
