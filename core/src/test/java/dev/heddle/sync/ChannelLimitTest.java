// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.ChannelClosedException;
import dev.heddle.ChannelClosedException.Reason;
import dev.heddle.DeadlineException;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.Promise;
import dev.heddle.simulation.Simulation;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Channels that are closed when those who use them are stuck.
@Timeout(300)
class ChannelLimitTest extends ChannelUsers {
  private static final Duration LIMIT = Duration.ofSeconds(5);

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
        assertThat(closed)
            .hasMessageContaining("the channel 'jobs' (capacity 0) was closed, because");
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
              .endsWith("1 receiving, to be closed when stuck for 5.0 s, which runs");
          Heddle.await(consumer);
          never.complete("at last");
          Heddle.await(producer);
          return null;
        });
    assertThat(log.getFirst()).isEqualTo(1);
    assertThat((ChannelClosedException) log.getLast())
        .hasMessageContaining("coroutines waited for it in vain for 5.0 s")
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
        .hasMessageContaining("waited for in vain for 5.0 s (the last sender: none has sent");
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

  @Test
  void laterLimit_replacesTheEarlierOne_alsoOneThatRuns() {
    Simulation simulation = new Simulation(1);
    simulation.run(() -> {
      Channel<Integer> channel = Channel.<Integer>of(0).closeOnDeadlock(Duration.ofSeconds(1));
      Coroutine<?> receiver = Heddle.spawn(() -> log.add(closedBy(channel::receive).reason()));
      settle();
      channel.closeWhenStuck(LIMIT);
      Heddle.await(receiver);
      return null;
    });
    assertThat(log).containsExactly(Reason.DEADLOCK);
    assertThat(simulation.elapsed()).isEqualTo(LIMIT);
  }

  @Test
  void limit_thatIsNotPositive_isRefused() {
    Heddle.run(() ->
        assertThatThrownBy(() -> Channel.of(1).closeWhenStuck(Duration.ZERO))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("a limit of PT0S; it must be positive"));
  }
}
