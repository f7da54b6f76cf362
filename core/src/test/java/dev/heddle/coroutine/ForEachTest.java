// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.heddle.Heddle;
import dev.heddle.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// The concurrent iterator: its items and its limit.
@Tag("T6")
@Timeout(300)
class ForEachTest {
  private static final List<Integer> TEN = IntStream.range(0, 10).boxed().toList();

  private final List<Object> log = new ArrayList<>();

  /// The kinds of sources, each with ten items.
  enum Source {
    ARRAY,
    ITERATOR,
    GENERATOR,
    SUSPENDING,
    STREAM;

    ForEach<Integer> iterate() {
      return switch (this) {
        case ARRAY -> ForEach.over(Arrays.asList(TEN.toArray(new Integer[0])));
        case ITERATOR -> ForEach.over(TEN.iterator());
        case GENERATOR -> ForEach.over(new Generator(10, () -> {}));
        case SUSPENDING -> ForEach.over(new Generator(10, Heddle::yieldNow));
        case STREAM -> ForEach.over(TEN.stream().iterator());
      };
    }
  }

  /// Counts up, and does something in between each time it is asked.
  static final class Generator implements Iterator<Integer> {
    private final int end;
    private final Runnable meanwhile;
    private int next;
    private boolean inside;

    Generator(int end, Runnable meanwhile) {
      this.end = end;
      this.meanwhile = meanwhile;
    }

    @Override
    public boolean hasNext() {
      alone();
      return next < end;
    }

    @Override
    public Integer next() {
      alone();
      if (next >= end) {
        throw new NoSuchElementException();
      }
      return next++;
    }

    private void alone() {
      assertThat(inside).as("two workers in the source").isFalse();
      inside = true;
      try {
        meanwhile.run();
      } finally {
        inside = false;
      }
    }
  }

  // ---- items ----

  @ParameterizedTest
  @EnumSource(Source.class)
  @Tag("loop-230")
  void items_ofActionsThatDoNotSuspend_comeOnceAndInOrderInOneWorker(Source source) {
    Set<Coroutine<?>> workers = new HashSet<>();
    Heddle.run(() ->
        source
            .iterate()
            .run(item -> {
              log.add(item);
              workers.add(Heddle.current());
            }));
    assertThat(log).isEqualTo(TEN);
    assertThat(workers).hasSize(1);
  }

  @Test
  @Tag("loop-230")
  void map_isIteratedByItsEntries() {
    Map<String, Integer> map = new LinkedHashMap<>();
    map.put("a", 1);
    map.put("b", 2);
    Heddle.run(() ->
        Heddle.forEach(map.entrySet(), 2, entry -> log.add(entry.getKey() + entry.getValue())));
    assertThat(log).containsExactly("a1", "b2");
  }

  @Test
  @Tag("loop-230")
  void items_mayBeNull() {
    Heddle.run(() ->
        Heddle.<@Nullable String>forEach(Arrays.asList("a", null), 2, item -> log.add("" + item)));
    assertThat(log).containsExactly("a", "null");
  }

  @Test
  @Tag("loop-230")
  void million_ofActionsThatDoNotSuspend_costAHandfulOfCoroutines() {
    Heddle.run(() -> {
      long before = Heddle.spawn(() -> 1).id();
      int[] sum = new int[1];
      Heddle.forEach(Collections.nCopies(1_000_000, 1), 100, one -> sum[0] += one);
      assertThat(sum[0]).isEqualTo(1_000_000);
      assertThat(Heddle.spawn(() -> 1).id() - before).isLessThan(5);
    });
  }

  @ParameterizedTest
  @EnumSource(Source.class)
  @Tag("loop-232")
  void action_thatSuspends_letsAnotherWorkerGoOn(Source source) {
    Set<Coroutine<?>> workers = new HashSet<>();
    Heddle.run(() ->
        source
            .iterate()
            .run(item -> {
              workers.add(Heddle.current());
              log.add("start " + item);
              Heddle.yieldNow();
              Heddle.yieldNow();
              log.add(item);
            }));
    assertThat(log).containsAll(TEN).hasSize(20);
    assertThat(workers).hasSizeGreaterThan(1);
  }

  @Test
  @Tag("loop-232")
  void action_thatWaitsInTheJdk_letsAnotherWorkerGoOn() {
    Set<Coroutine<?>> workers = new HashSet<>();
    Heddle.run(() ->
        Heddle.forEach(
            TEN,
            10,
            item -> {
              workers.add(Heddle.current());
              Thread.sleep(1);
              log.add(item);
            }));
    assertThat(log).containsExactlyInAnyOrderElementsOf(TEN);
    assertThat(workers).hasSizeGreaterThan(1);
  }

  // ---- limits ----

  static Stream<Arguments> limits() {
    return IntStream.rangeClosed(1, 3)
        .boxed()
        .flatMap(c -> Arrays.stream(Source.values()).map(source -> arguments(c, source)));
  }

  @ParameterizedTest
  @MethodSource("limits")
  @Tag("loop-233")
  @Tag("trap-24")
  void concurrency_ofActionsThatWait_isExactlyTheLimit(int limit, Source source) {
    int[] running = new int[2]; // now, at most
    VirtualTime.run(() ->
        source
            .iterate()
            .withConcurrency(limit)
            .run(item -> {
              running[0]++;
              running[1] = Math.max(running[1], running[0]);
              Heddle.delay(Duration.ofMillis(1));
              running[0]--;
              log.add(item);
            }));
    assertThat(running[1]).isEqualTo(limit);
    assertThat(log).containsExactlyInAnyOrderElementsOf(TEN);
  }

  @Test
  @Tag("loop-233")
  void concurrency_ofOne_keepsTheOrder() {
    Heddle.run(() ->
        Heddle.forEach(
            TEN,
            1,
            item -> {
              Heddle.delay(Duration.ofNanos(10 - item));
              log.add(item);
            }));
    assertThat(log).isEqualTo(TEN);
  }

  @Test
  void concurrency_belowOne_isRefused() {
    assertThatThrownBy(() -> ForEach.over(TEN).withConcurrency(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 1");
  }

  @Test
  @Tag("loop-237")
  void source_thatSuspendsEverywhere_givesEachItemOnceWithinTheLimit() {
    int[] running = new int[2];
    VirtualTime.run(() -> {
      Iterable<Integer> source =
          () -> {
            Heddle.yieldNow();
            return new Generator(20, () -> Heddle.delay(Duration.ofNanos(1)));
          };
      Heddle.forEach(
          source,
          3,
          item -> {
            running[0]++;
            running[1] = Math.max(running[1], running[0]);
            Heddle.delay(Duration.ofMillis(1));
            running[0]--;
            log.add(item);
          });
    });
    assertThat(log).containsExactlyInAnyOrderElementsOf(IntStream.range(0, 20).boxed().toList());
    assertThat(running[1]).isEqualTo(3);
  }

  /// Suspensions at random places of source and action; `-Dheddle.seed=N` repeats one.
  @Test
  @Tag("loop-237")
  @Tag("trap-24")
  void randomSuspensions_loseNoItemAndExceedNoLimit() {
    Long only = Long.getLong("heddle.seed");
    for (long seed = only == null ? 0 : only; seed < (only == null ? 500 : only + 1); seed++) {
      Random random = new Random(seed);
      Runnable perhaps =
          () -> {
            for (int i = random.nextInt(4); i > 1; i--) {
              Heddle.yieldNow();
            }
          };
      int limit = 1 + random.nextInt(4);
      int items = random.nextInt(30);
      int[] running = new int[1];
      List<Integer> done = new ArrayList<>();
      Heddle.run(() ->
          Heddle.forEach(
              () -> new Generator(items, perhaps),
              limit,
              item -> {
                assertThat(++running[0]).isLessThanOrEqualTo(limit);
                perhaps.run();
                running[0]--;
                done.add(item);
              }));
      assertThat(done)
          .as("seed %d", seed)
          .containsExactlyInAnyOrderElementsOf(IntStream.range(0, items).boxed().toList());
    }
  }
}
