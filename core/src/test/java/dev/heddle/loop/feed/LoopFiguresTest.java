// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a feed measures of a loop of which it is known how long something takes at least.
@Tag("watch-4")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopFiguresTest {
  private static final long SPIN_NANOS = 5_000_000;
  private static final long GAP_NANOS = 1_000_000_000; // more than that between two probes
  private static final int PROBES = 10;

  private final CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
  private final AtomicBoolean over = new AtomicBoolean();
  private final CompletableFuture<Boolean> ends = new CompletableFuture<>();
  private @Nullable Loop<Boolean> loop;

  private LoopFeed feedOfBusy(int coroutines) {
    startBusy(coroutines);
    return feed();
  }

  /// A loop in which so many coroutines take turns of 5 ms.
  private void startBusy(int coroutines) {
    loop =
        Loop.start(() -> {
          for (int i = 1; i < coroutines; i++) {
            Heddle.background("spinner", this::takeTurns);
          }
          Heddle.yieldNow();
          tree.complete(CoroutineNode.current().tree());
          takeTurns();
          return true;
        });
  }

  private LoopFeed feed() {
    return LoopFeedTest.patient(tree.join(), () -> new HashMap<>(Map.of("name", "busy")));
  }

  private void takeTurns() {
    while (!over.get()) {
      long end = System.nanoTime() + SPIN_NANOS;
      while (System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
      Heddle.yieldNow();
    }
  }

  @AfterEach
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // that above is of tests
  void end() {
    over.set(true);
    ends.complete(true);
    Objects.requireNonNull(loop).join();
  }

  private static long count(Map<String, String> row, String name) {
    return Long.parseLong(row.getOrDefault(name, "0")); // a loop that is silent has not all
  }

  /// What is ready waits until the others have had their turns of 5 ms: 14 of 15, since the probe
  /// may arrive during the turn of one.
  @Test
  void delays_areThoseOfARound() {
    startBusy(15);
    boolean isSeen = false;
    while (!isSeen) {
      try (LoopFeed feed = feed()) {
        for (int i = 0; i < PROBES; i++) {
          feed.probe();
        }
        Map<String, String> row = feed.look().getFirst();
        isSeen = count(row, "delaySamples") == PROBES; // else the machine has stood still
        if (isSeen) {
          assertRound(row);
          awaitNoDelay(feed);
        }
      }
    }
  }

  /// The longest delay is that since the look before.
  private static void awaitNoDelay(LoopFeed feed) {
    Map<String, String> row;
    do {
      row = feed.look().getFirst();
    } while (!"0".equals(row.get("longestDelayMicros")));
  }

  private static void assertRound(Map<String, String> row) {
    long longest = count(row, "longestDelayMicros");
    assertThat(longest).isGreaterThan(14 * SPIN_NANOS / 1_000);
    assertThat(count(row, "delayMedianMicros"))
        .isGreaterThan(14 * SPIN_NANOS / 1_000)
        .isLessThanOrEqualTo(count(row, "delay99Micros"));
    assertThat(count(row, "delay99Micros")).isBetween(longest, 2 * longest);
    assertThat(Stream.of(row.get("delays").split(" ")).mapToLong(Long::parseLong).sum())
        .isEqualTo(PROBES);
  }

  @Test
  void loopThatNeverSleeps_isAwakeAllTheTime() {
    try (LoopFeed feed = feedOfBusy(2)) {
      for (int i = 0; i < 5; i++) {
        feed.probe();
      }
      Map<String, String> row = feed.look().getFirst();
      assertThat(count(row, "sampledNanos")).isGreaterThanOrEqualTo(4 * SPIN_NANOS);
      assertThat(row.get("awakeNanos")).isEqualTo(row.get("sampledNanos"));
    }
  }

  /// A page that was closed for seconds had them as what its last probe had found.
  @Test
  void timeInWhichNobodyLooks_isNotSampled() {
    try (LoopFeed feed = feedOfBusy(2)) {
      long began = System.nanoTime();
      feed.probe();
      long before = count(feed.look().getFirst(), "sampledNanos");
      long paused = System.nanoTime();
      while (System.nanoTime() - paused <= GAP_NANOS) {
        Thread.onSpinWait();
      }
      paused = System.nanoTime() - paused;
      feed.probe();
      long sampled = count(feed.look().getFirst(), "sampledNanos") - before;
      assertThat(sampled).isLessThan(System.nanoTime() - began - paused);
    }
  }

  /// A watchdog may wake it right before a probe, but hardly before each.
  @Test
  void loopThatSleepsAtEachProbe_isNeverAwake() {
    loop =
        Loop.start(() -> {
          tree.complete(CoroutineNode.current().tree());
          return Heddle.await(ends);
        });
    try (LoopFeed feed = feed()) {
      Map<String, String> row = feed.look().getFirst();
      List<Long> awake = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        while (!tree.join().scheduler().isAsleep()) {
          Thread.onSpinWait();
        }
        long before = count(row, "awakeNanos");
        feed.probe();
        row = feed.look().getFirst();
        awake.add(count(row, "awakeNanos") - before);
      }
      assertThat(count(row, "sampledNanos")).isPositive();
      assertThat(awake).contains(0L);
    }
  }
}
