// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.event.Deadline;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.observe.LoopReport;
import dev.heddle.observe.StallReport;
import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Feed;
import dev.heddle.sync.Mutex;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A feed, from outside, as the session of an observer asks it.
@Tag("watch-1")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopFeedTest {
  private static final int NAPS = 3_000; // several pieces

  private final CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
  private final CountDownLatch over = new CountDownLatch(1);

  private Loop<Boolean> loopOfNaps() {
    return Loop.start(
        HeddleOptions.defaults().withName("fed"),
        () -> {
          for (int i = 0; i < NAPS; i++) {
            Heddle.background("nap", () -> Heddle.delay(Duration.ofHours(1)));
          }
          Heddle.yieldNow();
          tree.complete(CoroutineNode.current().tree());
          over.await();
          return true;
        });
  }

  private LoopFeed feed() {
    return patient(tree.join(), () -> new HashMap<>(Map.of("name", "fed")));
  }

  /// A feed that waits as long as a test may take for a loop whose thread gets no processor.
  static LoopFeed patient(CoroutineTree tree, Supplier<Map<String, String>> counts) {
    return new LoopFeed(tree, counts, List::of, Duration.ofMinutes(4));
  }

  private static Map<String, String> row(List<Map<String, String>> rows, String kind) {
    return rows.stream().filter(row -> kind.equals(row.get("row"))).findFirst().orElseThrow();
  }

  @Test
  void look_hasTheLoop_itsSites_andItsLongestWaits() {
    Loop<Boolean> loop = loopOfNaps();
    List<Map<String, String>> rows;
    try (LoopFeed feed = feed()) {
      feed.probe();
      rows = feed.look();
    }
    over.countDown();
    loop.join();

    assertThat(row(rows, "loop"))
        .containsEntry("name", "fed")
        .containsEntry("read", Integer.toString(NAPS + 1))
        .containsEntry("unread", "0")
        .containsEntry("delaySamples", "1");
    assertThat(row(rows, "site"))
        .containsEntry("count", Integer.toString(NAPS))
        .containsEntry("state", "waiting")
        .containsEntry("on", "timer");
    assertThat(row(rows, "site").get("site")).contains("LoopFeedTest");
    assertThat(row(rows, "wait").get("waitsFor")).isNotEmpty();
  }

  /// All of them change again while a piece is read.
  @Test
  void firstLook_ends_whileAllCoroutinesSwitch() {
    int busy = 2_000;
    Loop<Boolean> loop =
        Loop.start(() -> {
          for (int i = 0; i < busy; i++) {
            Heddle.background("busy", this::switchUntilOver);
          }
          Heddle.delay(Duration.ofMillis(5)); // each has waited once, and left its moment
          tree.complete(CoroutineNode.current().tree());
          over.await();
          return true;
        });
    List<Map<String, String>> rows;
    try (LoopFeed feed = feed()) {
      rows = feed.look();
    }
    over.countDown();
    loop.join();

    assertThat(row(rows, "loop")).containsEntry("read", Integer.toString(busy + 1));
    assertThat(rows)
        .filteredOn(row -> "ready".equals(row.get("state")))
        .isNotEmpty()
        .allSatisfy(row -> assertThat(row).containsEntry("waitedMillis", "0"));
  }

  private void switchUntilOver() {
    Heddle.delay(Duration.ofMillis(1));
    while (over.getCount() > 0) {
      Heddle.yieldNow();
    }
  }

  @Test
  void feedThatIsClosed_leavesNoWatch() {
    Loop<Boolean> loop = loopOfNaps();
    LoopFeed feed = feed();
    assertThat(feed.look()).isNotEmpty();
    feed.close();
    Object watch =
        TrampolineCall.post(tree.join(), answer -> answer.complete(tree.join().watch() == null))
            .join();
    over.countDown();
    loop.join();

    assertThat(watch).isEqualTo(true);
  }

  @Test
  void loopThatIsHeld_isStillShown_byItsCounts() {
    CountDownLatch held = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(() -> {
          tree.complete(CoroutineNode.current().tree());
          while (held.getCount() > 0) {
            Thread.onSpinWait();
          }
          return true;
        });
    try (LoopFeed feed = new LoopFeed(tree.join(), HashMap::new)) {
      assertThat(feed.look())
          .singleElement()
          .satisfies(row -> assertThat(row).containsEntry("silent", "true"));
    }
    held.countDown();
    loop.join();
  }

  /// Looks and probes are no progress.
  @Test
  void stall_isReported_whileTheLoopIsWatched() {
    CompletableFuture<LoopReport> reported = new CompletableFuture<>();
    var lock = new ReentrantLock();
    Loop<Boolean> loop =
        Loop.start(
            HeddleOptions.defaults()
                .withStallLimit(Duration.ofMillis(50))
                .withReports(reported::complete),
            () -> {
              tree.complete(CoroutineNode.current().tree());
              lock.lock();
              Heddle.background("locker", () -> lock.lockInterruptibly());
              over.await();
              return true;
            });
    try (LoopFeed feed = feed()) {
      while (!reported.isDone()) {
        feed.probe();
        assertThat(feed.look()).isNotEmpty();
      }
    }
    over.countDown();
    loop.join();

    assertThat(reported.join()).isInstanceOf(StallReport.class);
  }

  @Test
  void detail_listsAllCoroutines_withTheirGroups() {
    Loop<Boolean> loop = loopOfNaps();
    List<Map<String, String>> rows;
    try (LoopFeed feed = feed()) {
      assertThat(feed.look()).isNotEmpty();
      rows = feed.detail("coroutines");
      assertThatThrownBy(() -> feed.detail("nonsense"))
          .isInstanceOf(IllegalArgumentException.class);
    }
    over.countDown();
    loop.join();

    assertThat(rows)
        .filteredOn(row -> "coroutines".equals(row.get("row")))
        .flatExtracting(row -> row.get("lines").lines().toList())
        .hasSize(NAPS + 1)
        .anyMatch(line -> line.matches("\\d+\t\\d+\t\\d+\tnap"));
    assertThat(rows)
        .filteredOn(row -> "group".equals(row.get("row")))
        .anyMatch(row -> "timer".equals(row.get("on")) && "waiting".equals(row.get("state")));
  }

  @Test
  void detail_ofWaits_leadsFromWaiters_toThings_toHolders() {
    Loop<Boolean> loop =
        Loop.start(() -> {
          Mutex ledger = new Mutex("ledger");
          Mutex account = new Mutex("account");
          Heddle.background(
              "auditor",
              () -> {
                ledger.lock();
                Heddle.delay(Duration.ofHours(1));
              });
          Heddle.background(
              "transfer",
              () -> {
                account.lock();
                ledger.lock();
              });
          for (int i = 0; i < 30; i++) {
            Heddle.background("clerk", () -> account.lock());
          }
          Heddle.yieldNow();
          tree.complete(CoroutineNode.current().tree());
          over.await();
          return true;
        });
    List<Map<String, String>> rows;
    try (LoopFeed feed = feed()) {
      assertThat(feed.look()).isNotEmpty();
      rows = feed.detail("waits");
    }
    over.countDown();
    loop.join();

    Map<String, String> first = thing(rows, "the mutex 'ledger'");
    Map<String, String> second = thing(rows, "the mutex 'account'");
    assertThat(first).containsEntry("waiters", "1").containsEntry("holders", "1");
    assertThat(second).containsEntry("waiters", "30").containsEntry("held", first.get("waiting"));
    assertThat(second.get("waiting").split(" ")).as("a few of the ends").hasSize(20);
    assertThat(named(rows, first.get("held"))).contains("'auditor'");
    assertThat(named(rows, first.get("waiting"))).contains("'transfer'");
  }

  /// A cycle with such a wait was said to be a deadlock.
  @Test
  void detail_ofWaits_saysWhichMayEndByThemselves() {
    Loop<Boolean> loop =
        Loop.start(() -> {
          Mutex ledger = new Mutex("ledger");
          ReentrantLock lock = new ReentrantLock();
          ledger.lock();
          lock.lock();
          Heddle.background("patient", () -> ledger.lock());
          Heddle.background("limited", () -> ledger.lock(Deadline.after(Duration.ofHours(1))));
          Heddle.background("java", () -> lock.lock());
          Heddle.background("limited java", () -> lock.tryLock(1, TimeUnit.HOURS));
          Heddle.yieldNow();
          tree.complete(CoroutineNode.current().tree());
          over.await();
          lock.unlock();
          return true;
        });
    List<Map<String, String>> rows;
    try (LoopFeed feed = feed()) {
      do { // until those that wait in the JDK do
        assertThat(feed.look()).isNotEmpty();
        rows = feed.detail("waits");
      } while (of(rows, "coroutine").size() < 5);
    }
    over.countDown();
    loop.join();

    assertThat(of(rows, "coroutine"))
        .filteredOn(row -> "true".equals(row.get("mayEnd")))
        .extracting(row -> row.get("name").replaceAll(".*'(.*)'", "$1"))
        .containsExactlyInAnyOrder("limited", "limited java");
  }

  private static Map<String, String> thing(List<Map<String, String>> rows, String what) {
    return rows.stream().filter(row -> what.equals(row.get("what"))).findFirst().orElseThrow();
  }

  private static String named(List<Map<String, String>> rows, String id) {
    return rows.stream()
        .filter(row -> "coroutine".equals(row.get("row")) && id.equals(row.get("id")))
        .findFirst()
        .orElseThrow()
        .get("name");
  }

  @Test
  void detail_ofScopes_isTheTree_withOwners_andMembersBySite() {
    Loop<Boolean> loop =
        Loop.start(() -> {
          Heddle.background("guest", () -> openScopes());
          Heddle.yieldNow();
          Heddle.yieldNow();
          tree.complete(CoroutineNode.current().tree());
          over.await();
          return true;
        });
    List<Map<String, String>> rows;
    try (LoopFeed feed = feed()) {
      assertThat(feed.look()).isNotEmpty();
      rows = feed.detail("scopes");
    }
    over.countDown();
    loop.join();

    List<Map<String, String>> scopes = of(rows, "scope");
    assertThat(scopes).extracting(row -> row.get("number")).containsExactly("0", "1", "2");
    assertThat(scopes).extracting(row -> row.get("parent")).containsExactly("", "0", "1");
    assertThat(scopes.getFirst())
        .containsEntry("kind", "root scope")
        .containsEntry("members", "2")
        .containsEntry("background", "1");
    assertThat(scopes.get(1))
        .containsEntry("kind", "scope")
        .containsEntry("members", "600")
        .extractingByKey("ownerName")
        .asString()
        .contains("'guest'");
    assertThat(scopes.get(2))
        .containsEntry("kind", "child scope")
        .containsEntry("cancelled", "the guest has left")
        .containsEntry("members", "1");
    assertThat(of(rows, "members"))
        .filteredOn(row -> row.get("scope").equals("1"))
        .singleElement()
        .satisfies(row ->
            assertThat(row).containsEntry("count", "600").extractingByKey("site").isNotNull());
    assertThat(row(rows, "left")).containsEntry("scopes", "false").containsEntry("coroutines", "0");
  }

  private void openScopes() {
    Heddle.scope(scope -> {
      for (int i = 0; i < 600; i++) { // more than a piece
        scope.launch("dish", () -> Heddle.delay(Duration.ofHours(1)));
      }
      Scope below = scope.child();
      below.launch("waiter", this::napUnheeding);
      Heddle.yieldNow();
      below.cancel("the guest has left");
      Heddle.delay(Duration.ofHours(1));
      return true;
    });
  }

  /// It does not heed its cancellation.
  private void napUnheeding() {
    Heddle.shield(() -> over.await());
  }

  private static List<Map<String, String>> of(List<Map<String, String>> rows, String kind) {
    return rows.stream().filter(row -> kind.equals(row.get("row"))).toList();
  }

  @Test
  void detail_ofReports_hasFailuresThatNobodyObserved_withTheirStacks() throws Exception {
    HeddleOptions withoutOtherReports =
        HeddleOptions.defaults().withHoldLimit(Duration.ZERO).withStallLimit(Duration.ZERO);
    Loop<Boolean> loop =
        Loop.start(
            withoutOtherReports,
            () -> {
              for (int i = 0; i < 20; i++) {
                int number = i;
                Heddle.supervise(scope -> {
                  scope.launch("clerk", () -> fail(number));
                  return true;
                });
              }
              tree.complete(CoroutineNode.current().tree());
              over.await();
              return true;
            });
    tree.join();
    List<Map<String, String>> reports = List.of();
    try (Feed feed = ((Attachable) loop.mxBean()).watch()) {
      while (reports.isEmpty() || !reports.getFirst().get("text").contains("letter 19")) {
        reports = feed.detail("reports"); // the thread of the log makes the texts
      }
      assertThat(row(feed.look(), "loop")).containsEntry("failures", "20");
    }
    over.countDown();
    loop.join();

    assertThat(reports)
        .hasSizeBetween(1, 8)
        .allSatisfy(
            row -> assertThat(row).containsEntry("row", "report").containsEntry("kind", "failure"));
    assertThat(reports.getFirst().get("text"))
        .contains("clerk", "IllegalStateException: letter 19", getClass().getName() + ".fail(");
  }

  private static void fail(int number) {
    throw new IllegalStateException("letter " + number);
  }

  @Test
  void look_countsOpenHandles() throws Exception {
    CountDownLatch opened = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(() -> {
          try (Listener listener =
              Tcp.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            StreamSocket from = Tcp.connect((InetSocketAddress) listener.localAddress());
            StreamSocket to = listener.accept();
            from.close();
            from.close();
            tree.complete(CoroutineNode.current().tree());
            opened.await();
            to.close();
          }
          over.await();
          return true;
        });
    tree.join();
    try (Feed feed = ((Attachable) loop.mxBean()).watch()) {
      assertThat(row(feed.look(), "loop")).containsEntry("handles", "2");
      opened.countDown();
      while (!row(feed.look(), "loop").get("handles").equals("0")) {
        Thread.onSpinWait();
      }
    }
    over.countDown();
    loop.join();
  }

  @Test
  void loopThatHasEnded_saysSo() {
    Loop<Boolean> loop = loopOfNaps();
    LoopFeed feed = feed();
    assertThat(feed.look()).isNotEmpty();
    over.countDown();
    loop.join();

    assertThatThrownBy(feed::look)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has ended");
    feed.close();
  }
}
