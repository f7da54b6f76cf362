// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.ChannelClosedException;
import dev.heddle.ChannelClosedException.Reason;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
import dev.heddle.hosting.StackEnd;
import dev.heddle.simulation.Simulation;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ChannelsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final List<Function<Channel<Integer>, Channel<?>>> OPERATORS =
      List.of(
          source -> Channels.debounce(source, SECOND),
          source -> Channels.throttleFirst(source, SECOND),
          source -> Channels.sample(source, SECOND),
          source -> Channels.chunked(source, 3),
          source -> Channels.chunked(source, 3, SECOND));

  private final Simulation simulation = new Simulation(1);
  private final List<Object> log = new ArrayList<>();

  private void run(Action main) {
    Body<Boolean> body =
        () -> {
          main.run();
          return true;
        };
    var _ = simulation.<Boolean>run(body);
  }

  private static void settle() {
    for (int i = 0; i < 20; i++) {
      Heddle.yieldNow();
    }
  }

  /// Sends 1, 2, 3... at these times, and closes the channel at the last one.
  private static Channel<Integer> sentAt(int... tenths) {
    Channel<Integer> channel = Channel.unlimited();
    Heddle.launch(
        "sender",
        () -> {
          int now = 0;
          for (int i = 0; i < tenths.length; i++) {
            if (tenths[i] > now) {
              Heddle.delay(Duration.ofMillis(100L * (tenths[i] - now)));
              now = tenths[i];
            }
            if (i == tenths.length - 1) {
              channel.close();
            } else {
              channel.send(i + 1);
            }
          }
        });
    return channel;
  }

  private List<Object> received(Channel<?> channel) {
    for (Object item : channel) {
      log.add(item + " at " + simulation.elapsed().toMillis() / 100);
    }
    return log;
  }

  // ---- what they send ----

  @Test
  void debounce_sendsTheNewestWhenItIsQuiet_andTheLastAtTheEnd() {
    run(() -> {
      Channel<Integer> source = sentAt(0, 5, 9, 30, 50, 52, 55);
      assertThat(received(Channels.debounce(source, SECOND)))
          .containsExactly("3 at 19", "4 at 40", "6 at 55");
    });
  }

  @Test
  void throttleFirst_sendsTheFirst_andDropsThoseOfThePeriodBehindIt() {
    run(() -> {
      Channel<Integer> source = sentAt(0, 5, 9, 10, 12, 25, 26, 60);
      assertThat(received(Channels.throttleFirst(source, SECOND)))
          .containsExactly("1 at 0", "4 at 10", "6 at 25");
    });
  }

  @Test
  void sample_sendsTheNewestOfEachPeriod_andTheLastAtTheEnd() {
    run(() -> {
      Channel<Integer> source = sentAt(0, 5, 9, 12, 40, 45, 47);
      assertThat(received(Channels.sample(source, SECOND)))
          .containsExactly("3 at 10", "4 at 22", "6 at 47");
    });
  }

  @Test
  void sample_whoseTimeIsOverWhileItemsAreThere_takesNoFurtherOne() {
    VirtualTime.runWithPauses(pause -> {
      Channel<Integer> source = Channel.unlimited();
      Channel<Integer> sampled = Channels.sample(source, SECOND);
      source.send(1);
      settle();
      source.send(2);
      source.send(3);
      source.send(4);
      pause.accept(SECOND); // before the operator has continued
      source.close();
      assertThat(sampled.receive()).isLessThan(4);
      assertThat(sampled.receive()).isEqualTo(4);
    });
  }

  @Test
  void chunked_sendsListsOfThatMany_andTheRestAtTheEnd() {
    run(() -> {
      Channel<Integer> source = sentAt(0, 1, 2, 30, 31, 32, 33, 99);
      assertThat(received(Channels.chunked(source, 3)))
          .containsExactly("[1, 2, 3] at 2", "[4, 5, 6] at 32", "[7] at 99");
    });
  }

  @Test
  void chunked_withATime_sendsWhatCameSinceTheFirst() {
    run(() -> {
      Channel<Integer> source = sentAt(0, 1, 2, 30, 35, 50, 51);
      assertThat(received(Channels.chunked(source, 3, SECOND)))
          .containsExactly("[1, 2, 3] at 2", "[4, 5] at 40", "[6] at 51");
    });
  }

  @Test
  void chunked_list_cannotBeChanged() {
    run(() -> {
      List<Integer> list = Channels.chunked(sentAt(0, 0, 0), 2).receive();
      assertThatThrownBy(() -> list.add(3)).isInstanceOf(UnsupportedOperationException.class);
    });
  }

  @Test
  void operator_thatIsIdle_armsNoTimer() {
    run(() -> {
      Channel<Integer> source = Channel.of(0);
      for (var operator : OPERATORS) {
        var _ = operator.apply(source);
      }
      settle();
      assertThat(simulation.elapsed()).isZero();
      Heddle.yieldNow();
      source.close();
    });
    assertThat(simulation.elapsed()).isZero();
  }

  @Test
  void operator_whoseReceiverIsSlow_holdsTheSender() {
    run(() -> {
      Channel<Integer> source = Channel.of(0);
      Channel<List<Integer>> lists = Channels.chunked(source, 2);
      Coroutine<?> sender =
          Heddle.spawn(() -> {
            for (int i = 0; i < 4; i++) {
              source.send(i);
              log.add(i);
            }
          });
      settle();
      assertThat(log).containsExactly(0, 1);
      assertThat(lists.receive()).containsExactly(0, 1);
      assertThat(lists.receive()).containsExactly(2, 3);
      Heddle.await(sender);
      source.close();
    });
  }

  // ---- the end goes down ----

  @Test
  void close_ofTheSource_closesTheOperator_withTheSameCause() {
    for (var operator : OPERATORS) {
      new Simulation(1)
          .run(() -> {
            Channel<Integer> plain = Channel.of(1);
            Channel<?> plainOut = operator.apply(plain);
            plain.close();
            var thrown = catchThrowableOfType(ChannelClosedException.class, plainOut::receive);
            assertThat(thrown.reason()).isEqualTo(Reason.CLOSED);
            assertThat(thrown).hasNoCause();

            Channel<Integer> failed = Channel.of(1);
            Channel<?> failedOut = operator.apply(failed);
            IllegalStateException failure = new IllegalStateException("no more");
            failed.send(1);
            failed.close(failure);
            assertThat(failedOut.receive()).isNotNull();
            assertThatThrownBy(failedOut::receive).hasCause(failure);
            return true;
          });
    }
  }

  @Test
  void cancel_ofTheSource_endsALoopOverTheOperatorWithAnException() {
    for (var operator : OPERATORS) {
      new Simulation(1)
          .run(() -> {
            Channel<Integer> source = Channel.of(1);
            Channel<?> out = operator.apply(source);
            settle();
            source.cancel(_ -> {});
            assertThatThrownBy(() -> out.iterator().hasNext())
                .isInstanceOf(ChannelClosedException.class)
                .cause()
                .isInstanceOf(ChannelClosedException.class);
            return true;
          });
    }
  }

  @Test
  void deadlock_thatClosesTheSource_isTheCauseDownstream() {
    run(() -> {
      Channel<Integer> source = Channel.<Integer>of(1).closeOnDeadlock(SECOND);
      Channel<List<Integer>> out = Channels.chunked(source, 2);
      assertThatThrownBy(() -> out.iterator().hasNext())
          .isInstanceOf(ChannelClosedException.class)
          .cause()
          .isInstanceOfSatisfying(
              ChannelClosedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DEADLOCK));
    });
  }

  // ---- a cancellation goes up ----

  @Test
  void cancel_ofTheOperator_cancelsTheSourceAtOnce() {
    for (var operator : OPERATORS) {
      new Simulation(1)
          .run(() -> {
            Channel<Integer> source = Channel.of(0);
            Channel<?> out = operator.apply(source);
            Coroutine<Throwable> sender =
                Heddle.spawn(() ->
                    catchThrowable(() -> {
                      while (true) {
                        source.send(1);
                      }
                    }));
            settle();
            out.cancel(_ -> {});
            assertThat(source.isClosed()).isTrue();
            assertThat(sender.await())
                .isInstanceOfSatisfying(
                    ChannelClosedException.class,
                    e -> assertThat(e.reason()).isEqualTo(Reason.CANCELLED));
            return true;
          });
    }
  }

  @Test
  void cancel_ofAChainOfOperators_reachesTheFirstSource() {
    run(() -> {
      Channel<Integer> source = Channel.of(0);
      Channel<List<Integer>> out =
          Channels.chunked(Channels.sample(Channels.debounce(source, SECOND), SECOND), 2);
      settle();
      out.close();
      assertThat(source.isClosed()).isTrue();
    });
  }

  @Test
  void operator_cancelledBeforeItsStart_endsDownAndUp() {
    for (var operator : OPERATORS) {
      new Simulation(1)
          .run(() -> {
            Channel<Integer> source = Channel.of(0);
            List<Channel<?>> out = new ArrayList<>();
            try (Scope scope = Scope.open()) {
              out.add(operator.apply(source));
              scope.cancel("enough");
            }
            assertThat(source.isClosed()).isTrue();
            assertThatThrownBy(out.getFirst()::receive)
                .isInstanceOf(ChannelClosedException.class)
                .hasCauseInstanceOf(Cancellation.class);
            return true;
          });
    }
  }

  @Test
  void scope_thatIsCancelled_endsTheOperator_downAndUp() {
    for (var operator : OPERATORS) {
      new Simulation(1)
          .run(() -> {
            Channel<Integer> source = Channel.of(0);
            List<Channel<?>> out = new ArrayList<>();
            try (Scope scope = Scope.open()) {
              out.add(operator.apply(source));
              settle();
              scope.cancel("enough");
            }
            assertThat(source.isClosed()).isTrue();
            assertThatThrownBy(out.getFirst()::receive)
                .isInstanceOf(ChannelClosedException.class)
                .cause()
                .isInstanceOf(Cancellation.class)
                .hasMessageContaining("enough");
            return true;
          });
    }
  }

  // ---- nothing is lost ----

  /// Random times, sizes, pauses of the receiver and orders of the ready coroutines.
  @Test
  void chunked_inRandomPrograms_losesNothingAndKeepsTheOrder() {
    int shortLists = 0;
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      int items = random.nextInt(30);
      int count = 1 + random.nextInt(4);
      List<Integer> received = new ArrayList<>();
      List<Integer> sizes = new ArrayList<>();
      new Simulation(seed)
          .run(() -> {
            Channel<Integer> source = Channel.of(random.nextInt(3));
            Heddle.launch(
                "sender",
                () -> {
                  for (int i = 0; i < items; i++) {
                    pause(random);
                    source.send(i);
                  }
                  source.close();
                });
            for (List<Integer> list : Channels.chunked(source, count, Duration.ofMillis(5))) {
              received.addAll(list);
              sizes.add(list.size());
              pause(random);
            }
            return true;
          });
      assertThat(received)
          .as("seed %d", seed)
          .containsExactlyElementsOf(IntStream.range(0, items).boxed().toList());
      assertThat(sizes).as("seed %d", seed).allMatch(size -> size >= 1 && size <= count);
      shortLists += (int) sizes.stream().filter(size -> size < count).count();
    }
    assertThat(shortLists).isGreaterThan(2_000);
  }

  private static void pause(Random random) {
    if (random.nextBoolean()) {
      Heddle.delay(Duration.ofMillis(1 + random.nextInt(6)));
    }
  }

  @Test
  void arguments_thatMakeNoSense_areRefused() {
    run(() -> {
      Channel<Integer> source = Channel.of(0);
      for (Action refused :
          List.<Action>of(
              () -> Channels.debounce(source, Duration.ZERO),
              () -> Channels.throttleFirst(source, SECOND.negated()),
              () -> Channels.sample(source, Duration.ZERO),
              () -> Channels.chunked(source, 0),
              () -> Channels.chunked(source, 1, Duration.ZERO))) {
        assertThatThrownBy(refused::run).isInstanceOf(IllegalArgumentException.class);
      }
    });
  }

  @Test
  @Tag("trap-23")
  void close_whereTheStackEnds_cancelsTheSourcesOfAChain() {
    Heddle.run(() -> {
      for (Function<Channel<Integer>, Channel<?>> operator : OPERATORS) {
        Channel<Integer> source = Channel.of(1);
        Channel<Integer> between = Channels.throttleFirst(source, SECOND);
        Channel<?> out = operator.apply(between);
        settle();
        assertThat(StackEnd.runAt(out::close)).isTrue();
        settle();
        assertThat(List.of(out, between, source)).allMatch(Channel::isClosed);
      }
    });
  }
}
