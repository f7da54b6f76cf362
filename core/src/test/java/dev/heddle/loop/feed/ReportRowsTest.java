// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;

import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.observe.DeadlockReport;
import dev.heddle.observe.LoopReport;
import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.attach.Feed;
import dev.heddle.sync.Mutex;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What observers see of stalls and deadlocks.
@Tag("watch-4")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReportRowsTest {
  private static List<Map<String, String>> reports(Feed feed) {
    return feed.detail("reports").stream().filter(row -> "report".equals(row.get("row"))).toList();
  }

  @Test
  void stall_isARow_andCounted() {
    CompletableFuture<LoopReport> reported = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(
            HeddleOptions.defaults()
                .withName("depot")
                .withStallLimit(Duration.ofMillis(1))
                .withHoldLimit(Duration.ZERO) // a busy machine would add reports of holds
                .withReports(reported::complete),
            () -> {
              ReentrantLock gate = new ReentrantLock();
              gate.lock();
              Heddle.background("carrier", () -> gate.lockInterruptibly());
              over.await();
              return true;
            });
    reported.join();
    try (Feed feed = ((Attachable) loop.mxBean()).watch()) {
      assertThat(feed.look().getFirst())
          .containsEntry("stalls", "1")
          .containsEntry("reports", "1")
          .extractingByKey("lastReport")
          .isEqualTo(reported.join().text().lines().findFirst().orElseThrow());
      assertThat(reports(feed))
          .singleElement()
          .satisfies(row ->
              assertThat(row)
                  .containsEntry("kind", "stall")
                  .containsKey("atMillis")
                  .extractingByKey("text")
                  .asString()
                  .contains("'carrier'", "ReentrantLock"));
    }
    over.countDown();
    loop.join();
  }

  /// Two coroutines, each of which holds what the other one waits for.
  private static void deadlock(String name) {
    CompletableFuture<LoopReport> reported = new CompletableFuture<>();
    HeddleOptions options = HeddleOptions.defaults().withName(name).withReports(reported::complete);
    assertThatThrownBy(() -> Heddle.run(options, () -> embrace()))
        .isInstanceOf(DeadlockError.class);
    assertThat(reported.join()).isInstanceOf(DeadlockReport.class);
  }

  private static boolean embrace() {
    Mutex left = new Mutex("left");
    Mutex right = new Mutex("right");
    var other =
        Heddle.spawn(
            "debit",
            () -> {
              right.lock();
              Heddle.yieldNow();
              left.lock();
              return true;
            });
    left.lock();
    Heddle.yieldNow();
    right.lock();
    return other.await();
  }

  private static Feed ended() {
    return Attachables.all().stream()
        .filter(each -> each.kind().equals("ended"))
        .findFirst()
        .orElseThrow()
        .watch();
  }

  /// The loop was gone from the list before anybody could ask for the report.
  @Test
  void deadlock_isSeen_whenItsLoopHasEnded() {
    long before = System.currentTimeMillis();
    deadlock("dock");
    long after = System.currentTimeMillis();
    while (System.currentTimeMillis() <= after) {
      Thread.onSpinWait(); // until it is not of this millisecond
    }
    try (Feed feed = ended()) {
      assertThat(feed.look())
          .singleElement()
          .satisfies(row ->
              assertThat(row)
                  .containsEntry("row", "ended")
                  .containsEntry("lastLoop", "dock")
                  .extractingByKey("lastReport")
                  .asString()
                  .startsWith("Deadlock: "))
          .extracting(row -> Long.parseLong(row.get("lastAgoMillis")))
          .asInstanceOf(LONG)
          .isBetween(1L, System.currentTimeMillis() - before);
      assertThat(reports(feed).getFirst())
          .containsEntry("kind", "deadlock")
          .containsEntry("loop", "dock")
          .containsKey("atMillis")
          .extractingByKey("text")
          .asString()
          .contains("'debit'", "the mutex 'left'", "the mutex 'right'");
    }
  }

  @Test
  void deadlocks_areKept_nineAreNot() {
    for (int i = 0; i < 9; i++) {
      deadlock("dock-" + i);
    }
    try (Feed feed = ended()) {
      assertThat(reports(feed))
          .extracting(row -> row.get("loop"))
          .containsExactly(
              "dock-8", "dock-7", "dock-6", "dock-5", "dock-4", "dock-3", "dock-2", "dock-1");
      assertThat(Long.parseLong(feed.look().getFirst().get("deadlocks"))).isGreaterThan(8);
      assertThatThrownBy(() -> feed.detail("nonsense"))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
