// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.internal.LongIndex;
import dev.heddle.loop.feed.LoopWatch.GroupRow;
import dev.heddle.loop.feed.LoopWatch.Summary;
import dev.heddle.loop.feed.LoopWatch.WaitRow;
import dev.heddle.observe.CoroutineSnapshot.State;
import dev.heddle.observe.LoopCounters;
import dev.heddle.sync.Channel;
import dev.heddle.sync.Mutex;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The groups that a watch keeps, asked by the main coroutine, which no look can delay.
@Tag("watch-1")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopWatchTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final int ALL = Integer.MAX_VALUE;

  private interface Watched<T> {
    T with(LoopWatch watch) throws Exception;
  }

  // a report takes stacks, and the JDK returns those coroutines to the loop: they change
  private static final HeddleOptions WITHOUT_REPORTS =
      HeddleOptions.defaults().withHoldLimit(Duration.ZERO).withStallLimit(Duration.ZERO);

  private static <T> T inALoop(Body<T> body) {
    return Heddle.run(
        WITHOUT_REPORTS,
        () ->
            Heddle.scope(s -> {
              T seen = body.run();
              s.cancel("seen");
              return seen;
            }));
  }

  private static <T> T watched(Watched<T> body) {
    return inALoop(() -> body.with(LoopWatch.attach(tree())));
  }

  private static CoroutineTree tree() {
    return CoroutineNode.current().tree();
  }

  private static void nap() {
    Heddle.delay(LONG);
  }

  private static void spawnNaps(int count) {
    IntStream.range(0, count).forEach(_ -> Heddle.launch("nap", LoopWatchTest::nap));
    Heddle.yieldNow();
  }

  private static Summary look(LoopWatch watch) {
    assertThat(watch.read(ALL).left()).isZero();
    return watch.summary();
  }

  private static int count(Summary seen, State state, String kind) {
    return seen.groups().stream()
        .filter(row -> row.group().state() == state && row.group().kindInWords().equals(kind))
        .mapToInt(GroupRow::count)
        .sum();
  }

  private static int total(Summary seen) {
    return seen.groups().stream().mapToInt(GroupRow::count).sum();
  }

  @Test
  void coroutinesThatAreAlike_areOneGroup_byWhatTheyWaitFor() {
    Summary seen =
        inALoop(() -> {
          Channel<String> orders = Channel.of(1);
          var mutex = new Mutex("ledger");
          var queue = new LinkedBlockingQueue<String>();
          mutex.lock();
          spawnNaps(3);
          Heddle.launch("other", () -> orders.receive());
          Heddle.launch("other", () -> orders.receive());
          Heddle.launch("other", () -> queue.take());
          Heddle.launch("other", () -> mutex.lock());
          Heddle.yieldNow();
          return look(LoopWatch.attach(tree()));
        });

    assertThat(count(seen, State.WAITING, "timer")).isEqualTo(3);
    assertThat(count(seen, State.WAITING, "channel")).isEqualTo(2);
    assertThat(count(seen, State.WAITING, "mutex")).isEqualTo(1);
    assertThat(count(seen, State.FOREIGN, "AbstractQueuedSynchronizer")).isEqualTo(1);
    WaitRow waiter =
        seen.waits().stream()
            .filter(row -> row.group().kindInWords().equals("mutex"))
            .findFirst()
            .orElseThrow();
    assertThat(waiter.waitsFor()).startsWith("the mutex 'ledger'");
    assertThat(waiter.holders()).containsExactly("coroutine-1 'main'");
  }

  /// What it costs does not depend on the coroutines that wait.
  @Test
  void coroutineThatSwitchesOften_isReadOnceForALook_andNobodyElse() {
    int unread =
        watched(watch -> {
          spawnNaps(1_000);
          Coroutine<?> busy = Heddle.spawn(() -> turns(5_000));
          Heddle.yieldNow();
          Summary _ = look(watch);
          turns(1_000);
          int changed = watch.summary().unread();
          busy.cancel("seen");
          return changed;
        });

    assertThat(unread).isEqualTo(2); // it, and the main coroutine
  }

  private static int turns(int turns) {
    for (int i = 0; i < turns; i++) {
      Heddle.yieldNow();
    }
    return turns;
  }

  @Test
  void groups_followWhatCoroutinesDo() {
    List<Integer> timers =
        watched(watch -> {
          Channel<String> gate = Channel.of(1);
          spawnNaps(2);
          Coroutine<?> changing =
              Heddle.spawn(() -> {
                String got = gate.receive();
                nap();
                return got;
              });
          Heddle.yieldNow();
          int before = count(look(watch), State.WAITING, "timer");
          gate.send("go");
          turns(2);
          int after = count(look(watch), State.WAITING, "timer");
          changing.cancel("seen");
          turns(2);
          return List.of(before, after, count(look(watch), State.WAITING, "timer"));
        });

    assertThat(timers).containsExactly(2, 3, 2);
  }

  /// I2: none is counted twice, none is forgotten, whatever they did between the looks.
  @Test
  void sumOfTheGroups_isTheNumberOfCoroutines() {
    watched(watch -> {
      for (int round = 0; round < 20; round++) {
        int naps = 7 * round;
        Coroutine<?> member =
            Heddle.spawn(() ->
                Heddle.scope(s -> {
                  spawnNaps(naps);
                  turns(naps);
                  s.cancel("over");
                  return naps;
                }));
        turns(round);
        spawnNaps(round);
        turns(3);
        Summary seen = look(watch);
        assertThat(seen.read()).isEqualTo(total(seen));
        if (!member.isDone()) {
          var _ = member.await();
        }
        assertThat(total(look(watch))).isEqualTo(Heddle.counters().coroutines());
      }
      return true;
    });
  }

  @Test
  void oldestOfAGroup_isTheOneThatWaitsLongest() {
    List<Long> oldest =
        watched(watch -> {
          Coroutine<?> first = Heddle.spawn("first", LoopWatchTest::napping);
          Heddle.delay(Duration.ofMillis(20));
          Coroutine<?> second = Heddle.spawn("second", LoopWatchTest::napping);
          Heddle.delay(Duration.ofMillis(20));
          long before = oldestTimer(look(watch));
          first.cancel("seen");
          turns(3);
          long after = oldestTimer(look(watch));
          assertThat(first.id()).isEqualTo(before);
          assertThat(second.id()).isEqualTo(after);
          return List.of(before, after);
        });

    assertThat(oldest).doesNotHaveDuplicates();
  }

  private static boolean napping() {
    nap();
    return true;
  }

  private static long oldestTimer(Summary seen) {
    return seen.waits().stream()
        .filter(row -> row.group().kindInWords().equals("timer"))
        .findFirst()
        .orElseThrow()
        .id();
  }

  /// I3.
  @Test
  void lastObserver_takesTheWatchWithIt_andTheNextOneSeesAllOnce() {
    Summary again =
        inALoop(() -> {
          spawnNaps(10);
          LoopWatch one = LoopWatch.attach(tree());
          LoopWatch other = LoopWatch.attach(tree());
          assertThat(other).isSameAs(one);
          Summary _ = look(one);
          one.detach();
          assertThat(tree().watch()).isSameAs(other);
          other.detach();
          assertThat(tree().watch()).isNull();
          turns(3); // leaves, with the hook set
          spawnNaps(5);
          assertThat(one.summary().unread()).isZero();
          return look(LoopWatch.attach(tree()));
        });

    assertThat(count(again, State.WAITING, "timer")).isEqualTo(15);
    assertThat(total(again)).isEqualTo(16);
  }

  /// Those that end are not kept until somebody looks.
  @Test
  void coroutinesThatEndBetweenLooks_areForgotten() {
    Summary seen =
        watched(watch -> {
          for (int i = 0; i < 10_000; i++) {
            Heddle.launch("short", Heddle::yieldNow);
            if (i % 100 == 0) {
              turns(3);
            }
          }
          turns(3);
          return watch.summary();
        });

    assertThat(seen.unread()).isLessThan(2_048);
  }

  @Test
  @Tag("loop-306")
  void watchedSwitches_costAsManySwitches() {
    LoopCounters[] counted = new LoopCounters[2];
    boolean _ =
        watched(watch -> {
          Heddle.launch("other", () -> turns(1_002));
          Heddle.yieldNow();
          Summary _ = look(watch);
          counted[0] = Heddle.counters();
          turns(1_000);
          counted[1] = Heddle.counters();
          return true;
        });

    assertThat(counted[1].switches() - counted[0].switches()).isEqualTo(2_000);
  }

  @Test
  void delays_areCountedByPowersOfTwo() {
    var delays = new QueueDelays();
    Stream.of(0, 1, 3, 100, 5_000).forEach(micros -> delays.add(1_000L * micros));
    assertThat(delays.samples()).isEqualTo(5);
    assertThat(delays.percentile(50)).isEqualTo(4); // 3 us: at most 4
    assertThat(delays.percentile(99)).isEqualTo(8_192);
    assertThat(delays.histogram())
        .isEqualTo("1 1 1 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");
    assertThat(delays.takeLongest()).isEqualTo(5_000);
    assertThat(delays.takeLongest()).isZero();
  }

  @Test
  void index_findsWhatWasPut_alsoAfterRemovals() {
    var index = new LongIndex();
    for (int key = 1; key <= 10_000; key++) {
      index.put(key, 2 * key);
    }
    for (int key = 1; key <= 10_000; key += 3) {
      assertThat(index.remove(key)).isEqualTo(2 * key);
    }
    for (int key = 1; key <= 10_000; key++) {
      assertThat(index.get(key)).isEqualTo(key % 3 == 1 ? LongIndex.ABSENT : 2 * key);
    }
    assertThat(index.remove(1)).isEqualTo(LongIndex.ABSENT);
    assertThat(index.size()).isEqualTo(6_666);
  }
}
