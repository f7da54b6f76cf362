// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What coroutines use of their loop, as an observer asks for it.
@Tag("watch-1")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AccountsTest {
  private interface Observer {
    void look(LoopFeed feed) throws Exception;
  }

  /// Opens accounts, runs the program, and looks while its coroutines are still there.
  private static void observed(Action program, Observer observer) throws Exception {
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CountDownLatch opened = new CountDownLatch(1);
    CompletableFuture<Boolean> ran = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(
            HeddleOptions.defaults(),
            () -> {
              tree.complete(CoroutineNode.current().tree());
              opened.await();
              try {
                program.run();
                ran.complete(true);
              } catch (Throwable e) {
                ran.completeExceptionally(e);
              }
              over.await();
              return true;
            });
    try (LoopFeed feed = new LoopFeed(tree.join(), HashMap::new)) {
      assertThat(feed.detail("accounts").getFirst()).containsEntry("row", "accounts");
      opened.countDown();
      ran.join();
      observer.look(feed);
    } finally {
      over.countDown();
      loop.join();
    }
  }

  private static long sum(List<Map<String, String>> rows, String key) {
    return rows.stream().skip(1).mapToLong(row -> Long.parseLong(row.get(key))).sum();
  }

  private static void spin(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  @Test
  void runs_areThoseThatTheLoopHasCounted_andTimeIsNotInvented() throws Exception {
    long[] counted = new long[1];
    observed(
        () ->
            Heddle.scope(() -> {
              for (int i = 0; i < 20; i++) {
                Heddle.spawn(() -> {
                  for (int k = 0; k < 1_000; k++) {
                    Heddle.yieldNow();
                  }
                  Heddle.delay(Duration.ofMillis(1));
                  return 0;
                });
              }
              counted[0] = 20 * 1_002; // yields, a delay, the end
            }),
        feed -> {
          List<Map<String, String>> rows = feed.detail("accounts");
          assertThat(rows)
              .filteredOn(row -> Long.toString(counted[0]).equals(row.get("runs")))
              .singleElement()
              .satisfies(row -> assertThat(row).containsEntry("coroutines", "0"));
          assertThat(sum(rows, "busyNanos")).isPositive();
          assertThat(sum(rows, "busyNanos"))
              .isLessThanOrEqualTo(Long.parseLong(rows.getFirst().get("nanos")));
        });
  }

  @Test
  void longRun_isThatOfItsCoroutine_alsoAmongShortOnes() throws Exception {
    Duration time = Duration.ofMillis(50);
    observed(
        () ->
            Heddle.scope(() -> {
              Heddle.spawn(() -> {
                for (int i = 0; i < 1_000; i++) {
                  Heddle.yieldNow();
                }
              });
              Heddle.spawn(() -> {
                Heddle.yieldNow();
                spin(time);
                Heddle.yieldNow();
                return "";
              });
            }),
        feed -> {
          List<Map<String, String>> rows = feed.detail("accounts");
          assertThat(rows)
              .filteredOn(row -> !"main".equals(row.get("site")) && row.containsKey("busyNanos"))
              .filteredOn(row -> Long.parseLong(row.get("longestNanos")) > time.toNanos() / 2)
              .singleElement()
              .satisfies(row ->
                  assertThat(Long.parseLong(row.get("longestNanos")))
                      .isGreaterThan(time.toNanos() * 9 / 10)
                      .isLessThanOrEqualTo(Long.parseLong(row.get("busyNanos"))));
        });
  }

  @Test
  void timeOfTheLoopItself_isNobodys() throws Exception {
    long nanos = 100_000_000;
    observed(
        () -> {
          CoroutineNode.current().scheduler().runOnCarrier(() -> spin(Duration.ofNanos(nanos)));
          Heddle.yieldNow();
          Heddle.delay(Duration.ofMillis(1));
        },
        feed -> {
          List<Map<String, String>> rows = feed.detail("accounts");
          long all = Long.parseLong(rows.getFirst().get("nanos"));
          assertThat(sum(rows, "busyNanos")).isLessThan(all - nanos * 9 / 10);
        });
  }

  @Test
  void waits_areTheTimeBetweenRuns_alsoInTheJdk() throws Exception {
    SynchronousQueue<Integer> queue = new SynchronousQueue<>();
    Duration time = Duration.ofMillis(20);
    observed(
        () -> {
          Heddle.background("taker", () -> queue.take());
          Heddle.delay(time);
          queue.put(1);
          Heddle.yieldNow();
        },
        feed -> {
          Map<String, String> main = feed.detail("account 1").getFirst();
          assertThat(Long.parseLong(main.get("waitedNanos"))).isGreaterThan(time.toNanos() / 2);
          assertThat(main).containsEntry("site", "main");
        });
  }

  /// Its thread ticked on.
  @Test
  void loopThatEnds_leavesNoThreadOfItsAccounts() throws Exception {
    observed(() -> {}, _ -> {});
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("heddle-trace-ticks"))) {
      Thread.onSpinWait();
    }
    CompletableFuture<LoopFeed> opened = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(() -> {
          opened.complete(new LoopFeed(CoroutineNode.current().tree(), HashMap::new));
          over.await();
          return true;
        });
    List<Map<String, String>> _ = opened.join().detail("accounts");
    over.countDown();
    loop.join();
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("heddle-trace-ticks"))) {
      Thread.onSpinWait();
    }
    opened.join().close();
  }

  @Test
  void observerThatLeaves_leavesNoAccounts() throws Exception {
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(() -> {
          tree.complete(CoroutineNode.current().tree());
          over.await();
          return true;
        });
    LoopFeed feed = new LoopFeed(tree.join(), HashMap::new);
    List<Map<String, String>> _ = feed.detail("accounts");
    assertThat(tree.join().scheduler().trace()).isNotNull();
    assertThat(feed.detail("no accounts")).isEmpty();
    feed.close();
    CompletableFuture<Boolean> none =
        TrampolineCall.post(
            tree.join(), answer -> answer.complete(tree.join().scheduler().trace() == null));
    assertThat(none.join()).isTrue();
    over.countDown();
    loop.join();
  }
}
