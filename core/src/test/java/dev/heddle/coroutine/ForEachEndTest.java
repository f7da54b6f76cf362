// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.ForEachTest.Generator;
import dev.heddle.simulation.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// How a concurrent iteration ends, and where its workers come from.
@Tag("T6")
@Timeout(300)
class ForEachEndTest {
  private static final List<Integer> TEN = IntStream.range(0, 10).boxed().toList();

  private final List<Object> log = new ArrayList<>();

  private static void forEver() {
    Heddle.delay(Duration.ofHours(1));
  }

  // ---- the end ----

  @Test
  @Tag("loop-234")
  void lastItem_thatIsTheSlowest_isAwaited() {
    VirtualTime.run(() -> {
      Heddle.forEach(
          TEN,
          3,
          item -> {
            Heddle.delay(Duration.ofMillis(item == 9 ? 5 : 1));
            log.add(item);
          });
      log.add("over");
    });
    assertThat(log).hasSize(11).endsWith(9, "over");
  }

  @Test
  @Tag("loop-236")
  void childrenOfActions_whenTheIterationIsOver_areCancelled() {
    Heddle.run(() -> {
      List<Coroutine<?>> children = new ArrayList<>();
      Heddle.forEach(
          TEN,
          3,
          item -> {
            children.add(
                Heddle.spawn(() -> {
                  forEver();
                  return 1;
                }));
            Heddle.yieldNow();
          });
      assertThat(children)
          .hasSize(10)
          .allMatch(Coroutine::isDone)
          .allMatch(child -> child.failure() instanceof Cancellation);
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  @Tag("loop-236")
  void childrenOfActions_withPendingAwaited_areAwaited() {
    Heddle.run(() -> {
      List<Coroutine<Integer>> children = new ArrayList<>();
      ForEach.over(TEN)
          .withPendingAwaited()
          .run(item ->
              children.add(
                  Heddle.spawn(() -> {
                    Heddle.delay(Duration.ofMillis(1));
                    return item;
                  })));
      assertThat(children).extracting(Coroutine::result).isEqualTo(TEN);
    });
  }

  @Test
  void action_thatSaysStop_takesNoMoreItemsAndAwaitsTheOthers() {
    VirtualTime.run(() ->
        ForEach.over(TEN)
            .withConcurrency(3)
            .runWhile(item -> {
              log.add("start " + item);
              Heddle.delay(Duration.ofMillis(item == 1 ? 1 : 5));
              log.add("end " + item);
              return item != 1;
            }));
    assertThat(log).startsWith("start 0", "start 1", "start 2", "end 1").contains("end 0", "end 2");
    assertThat(log).hasSize(6);
  }

  @Test
  void action_thatSaysStop_cancelsTheWaitForAnUnneededItem() {
    Heddle.run(() -> {
      Generator waiting = new Generator(10, () -> log.add("asked"));
      Iterator<Integer> source =
          new Iterator<>() {
            @Override
            public boolean hasNext() {
              return true;
            }

            @Override
            public Integer next() {
              int item = waiting.next();
              if (item > 0) {
                forEver();
              }
              return item;
            }
          };
      ForEach.over(source)
          .runWhile(item -> {
            Heddle.delay(Duration.ofMillis(1));
            return false;
          });
    });
    assertThat(log).containsExactly("asked", "asked");
  }

  // ---- failure and cancellation ----

  @Test
  @Tag("loop-238")
  void sourceWhoseIteratorThrows_isThrownAndNothingIsSpawned() {
    IllegalStateException failure = new IllegalStateException("no iterator");
    Heddle.run(() -> {
      long before = Heddle.spawn(() -> 1).id();
      Iterable<Integer> broken =
          () -> {
            throw failure;
          };
      assertThatThrownBy(() -> Heddle.forEach(broken, 3, log::add)).isSameAs(failure);
      assertThat(Heddle.spawn(() -> 1).id() - before).isEqualTo(1);
    });
  }

  @Test
  @Tag("loop-238")
  void call_outsideALoop_isRefusedAndNamesHeddleRun() {
    assertThatThrownBy(() -> Heddle.forEach(TEN, 3, log::add))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.run");
    assertThat(log).isEmpty();
  }

  static Stream<Function<RuntimeException, Iterator<Integer>>> brokenSources() {
    return Stream.of(
        failure ->
            new Generator(
                10,
                () -> {
                  throw failure;
                }),
        failure ->
            new Generator(
                10,
                () -> {
                  Heddle.yieldNow();
                  throw failure;
                }),
        failure ->
            Stream.iterate(0, i -> i + 1).peek(i -> failAt(3, i, failure)).limit(10).iterator());
  }

  private static void failAt(int bad, int item, RuntimeException failure) {
    if (item == bad) {
      throw failure;
    }
  }

  @ParameterizedTest
  @MethodSource("brokenSources")
  void source_thatThrows_cancelsTheActionsAndIsThrown(
      Function<RuntimeException, Iterator<Integer>> broken) {
    IllegalStateException failure = new IllegalStateException("no item");
    Heddle.run(() -> {
      Iterator<Integer> source = broken.apply(failure);
      assertThatThrownBy(() -> ForEach.over(source).run(item -> forEver())).isSameAs(failure);
      assertThat(Heddle.counters().timers()).isZero();
      assertThat(Heddle.counters().coroutines()).isEqualTo(1);
    });
  }

  @Test
  void action_thatThrows_cancelsTheOthersAndIsThrown() {
    IOException failure = new IOException("item 2");
    VirtualTime.run(() -> {
      assertThatThrownBy(() ->
              Heddle.forEach(
                  TEN,
                  5,
                  item -> {
                    log.add(item);
                    Heddle.delay(Duration.ofMillis(1));
                    if (item == 2) {
                      throw failure;
                    }
                    forEver();
                  }))
          .isInstanceOf(CoroutineException.class)
          .hasCause(failure);
      assertThat(Heddle.counters().timers()).isZero();
    });
    assertThat(log).containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  void caller_thatIsCancelled_cancelsTheActionsAndAwaitsThem() {
    Heddle.run(() -> {
      var caller =
          Heddle.spawn(() -> {
            Heddle.forEach(TEN, 3, item -> cleanUpSlowly(item));
            return 1;
          });
      while (log.size() < 3) {
        Heddle.yieldNow();
      }
      caller.cancel("stop");
      assertThatThrownBy(caller::await).isInstanceOf(Cancellation.class).hasMessage("stop");
      log.add("over");
    });
    assertThat(log)
        .containsExactly("start 0", "start 1", "start 2", "end 0", "end 1", "end 2", "over");
  }

  private void cleanUpSlowly(int item) {
    log.add("start " + item);
    try {
      forEver();
    } finally {
      Heddle.delay(Duration.ofMillis(1));
      log.add("end " + item);
    }
  }

  @Test
  void caller_whoseTimeIsOver_leavesNothingBehind() {
    Heddle.run(() -> {
      assertThatThrownBy(() ->
              Heddle.withTimeout(
                  Duration.ofMillis(2), () -> Heddle.forEach(TEN, 3, item -> forEver())))
          .isInstanceOf(DeadlineException.class);
      assertThat(Heddle.counters().coroutines()).isEqualTo(1);
      assertThat(Heddle.counters().timers()).isZero();
    });
  }

  @Test
  void protectedAction_ofACancelledIteration_endsAndTakesNoMoreItems() {
    VirtualTime.run(() -> {
      var caller =
          Heddle.spawn(() -> {
            Heddle.forEach(
                TEN,
                2,
                item -> {
                  Heddle.shield(() -> Heddle.delay(Duration.ofMillis(2)));
                  log.add(item);
                });
            return 1;
          });
      Heddle.yieldNow();
      Heddle.yieldNow();
      caller.cancel("stop");
      assertThatThrownBy(caller::await).isInstanceOf(Cancellation.class);
    });
    assertThat(log).isEmpty();
  }

  @Test
  void worker_thatIsCancelledByItself_endsTheIterationWithItsCancellation() {
    Heddle.run(() -> {
      assertThatThrownBy(() ->
              Heddle.forEach(
                  TEN,
                  1,
                  item -> {
                    log.add(item);
                    Heddle.current().cancel("not this one");
                    Heddle.yieldNow();
                  }))
          .isInstanceOf(Cancellation.class)
          .hasMessage("not this one");
    });
    assertThat(log).containsExactly(0);
  }

  // ---- where workers come from ----

  @Test
  @Tag("loop-28")
  void worker_namesTheLineOfTheIteration() {
    Heddle.run(() ->
        Heddle.forEach(
            TEN,
            2,
            item -> {
              Heddle.yieldNow();
              assertThat(Heddle.current().toString()).contains("(ForEachEndTest.java:");
            }));
  }

  @Test
  @Tag("trap-43")
  void workers_inheritFromTheCallerWhatItsThreadHas() {
    InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>();
    Heddle.run(() -> {
      inherited.set("callers");
      Heddle.forEach(
          TEN,
          3,
          item -> {
            assertThat(inherited.get()).isEqualTo("callers");
            Heddle.yieldNow();
          });
    });
  }
}
