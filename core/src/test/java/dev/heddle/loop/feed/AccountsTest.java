// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.event.Promise;
import dev.heddle.scheduler.Microtask;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.SwitchTrace;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What coroutines use of their loop, as an observer asks for it.
@Tag("watch-1")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AccountsTest {
  // a report takes stacks, and the JDK returns those coroutines to the loop
  private static final HeddleOptions WITHOUT_REPORTS =
      HeddleOptions.defaults().withHoldLimit(Duration.ZERO).withStallLimit(Duration.ZERO);

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
            WITHOUT_REPORTS,
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
    try (LoopFeed feed = LoopFeedTest.patient(tree.join(), HashMap::new)) {
      assertThat(feed.detail("accounts").getFirst()).containsEntry("row", "accounts");
      opened.countDown();
      ran.join();
      observer.look(feed);
    } finally {
      over.countDown();
      loop.join();
    }
  }

  private static List<Map<String, String>> rowsOf(String kind, List<Map<String, String>> rows) {
    return rows.stream().filter(row -> kind.equals(row.get("row"))).toList();
  }

  private static long sum(List<Map<String, String>> rows, String key) {
    return rows.stream().mapToLong(row -> Long.parseLong(row.get(key))).sum();
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
          List<Map<String, String>> rows = rowsOf("account", feed.detail("accounts"));
          assertThat(rows)
              .filteredOn(row -> Long.toString(counted[0]).equals(row.get("runs")))
              .singleElement()
              .satisfies(row -> assertThat(row).containsEntry("coroutines", "0"));
          assertThat(sum(rows, "busyNanos")).isPositive();
          long all = Long.parseLong(feed.detail("accounts").getFirst().get("nanos"));
          assertThat(sum(rows, "busyNanos")).isLessThanOrEqualTo(all);
        });
  }

  /// Ten of them: where the short ones share readings of the clock, the thread that ticks may be
  /// late, but not always.
  @Test
  void longRun_isThatOfItsCoroutine_alsoAmongShortOnes() throws Exception {
    Duration time = Duration.ofMillis(50);
    int longRuns = 10;
    int shortRuns = 100;
    observed(
        () -> {
          Promise<Boolean> over = Heddle.promise("the end of the long runs");
          Heddle.background(
              "short",
              () -> {
                while (!over.isDone()) {
                  Heddle.yieldNow();
                }
                Heddle.delay(Duration.ofHours(1));
              });
          Heddle.background(
              "long",
              () -> {
                for (int i = 0; i < longRuns; i++) {
                  for (int k = 0; k < shortRuns; k++) {
                    Heddle.yieldNow();
                  }
                  spin(time);
                }
                over.complete(true);
                Heddle.delay(Duration.ofHours(1));
              });
          over.future().await();
        },
        feed ->
            assertThat(rowsOf("coroutine account", feed.detail("accounts")))
                .filteredOn(row -> row.get("name").endsWith(" 'long'"))
                .singleElement()
                .satisfies(row ->
                    assertThat(Long.parseLong(row.get("longestNanos")))
                        .isGreaterThan(time.toNanos() * 9 / 10)
                        .isLessThanOrEqualTo(Long.parseLong(row.get("busyNanos")))));
  }

  @Test
  void timeOfTheLoopItself_isNobodys() throws Exception {
    long[] worked = new long[1];
    observed(
        () -> {
          CoroutineNode.current()
              .scheduler()
              .runOnCarrier(() -> {
                long began = System.nanoTime();
                spin(Duration.ofMillis(100));
                worked[0] = System.nanoTime() - began;
              });
          Heddle.yieldNow();
          Heddle.delay(Duration.ofMillis(1));
        },
        feed -> {
          List<Map<String, String>> rows = feed.detail("accounts");
          long all = Long.parseLong(rows.getFirst().get("nanos"));
          assertThat(sum(rowsOf("account", rows), "busyNanos"))
              .isLessThan(all - worked[0] * 9 / 10);
        });
  }

  /// Accounts of short runs are told of no beginnings: the next run would have its time.
  @Test
  void workOfTheLoopItself_isToldToObservers() {
    assertToldOfWork(Scheduler::runOnCarrier);
  }

  @Test
  void tickOfTheLoop_isToldToObservers() {
    assertToldOfWork((scheduler, task) ->
        scheduler.post(
            new Microtask() {
              @Override
              protected void run() {
                task.run();
              }
            }));
  }

  private static void assertToldOfWork(BiConsumer<Scheduler, Runnable> work) {
    int[] worked = new int[1];
    LoopObserver counting =
        new LoopObserver() {
          @Override
          public void worked() {
            worked[0]++;
          }

          @Override
          public void entered(Occupant coroutine) {}

          @Override
          public void left(Occupant coroutine, boolean inTheJdk, boolean yields) {}

          @Override
          public void ended(Occupant coroutine, boolean ran) {}
        };
    boolean told =
        Heddle.run(() -> {
          CoroutineTree tree = CoroutineNode.current().tree();
          CompletableFuture<Integer> before = new CompletableFuture<>();
          tree.scheduler().runOnCarrier(() -> LoopObserver.add(tree, counting));
          Heddle.yieldNow();
          work.accept(tree.scheduler(), () -> before.complete(worked[0]));
          Heddle.yieldNow();
          return worked[0] > before.join();
        });
    assertThat(told).isTrue();
  }

  /// It would not know what runs.
  @Test
  void otherObserver_isToldOfEachRun_alsoOfShortOnes() {
    CompletableFuture<CoroutineTree> opened = new CompletableFuture<>();
    CountDownLatch observed = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(() -> {
          opened.complete(CoroutineNode.current().tree());
          observed.await();
          for (int i = 0; i < 1_000; i++) {
            Heddle.yieldNow();
          }
          return true;
        });
    CoroutineTree tree = opened.join();
    int[] entered = new int[1];
    LoopObserver other =
        new LoopObserver() {
          @Override
          public void entered(Occupant coroutine) {
            entered[0]++;
          }

          @Override
          public void left(Occupant coroutine, boolean inTheJdk, boolean yields) {}

          @Override
          public void ended(Occupant coroutine, boolean ran) {}
        };
    Accounts _ =
        onLoop(
            tree,
            () -> {
              LoopObserver.add(tree, other);
              return Accounts.begin(tree);
            });
    observed.countDown();
    loop.join();
    assertThat(entered[0]).isGreaterThanOrEqualTo(1_000);
  }

  /// Each counted as 0.4 us at most, unless the thread ticked in it.
  @Test
  void runsBetweenWhichTheLoopSleeps_haveAllOfTheirTime() throws Exception {
    int count = 1_000;
    Duration time = Duration.ofNanos(100_000);
    long[] ran = new long[1];
    observed(
        () -> {
          for (int i = 0; i < count; i++) {
            Heddle.delay(Duration.ofMillis(1));
            long began = System.nanoTime();
            spin(time);
            ran[0] += System.nanoTime() - began;
          }
        },
        feed -> {
          Map<String, String> main = feed.detail("account 1").getFirst();
          assertThat(Long.parseLong(main.get("busyNanos")))
              .isGreaterThanOrEqualTo(ran[0])
              .isGreaterThanOrEqualTo(count * time.toNanos());
        });
  }

  @Test
  void busiest_areTheCoroutinesWithMostTime_ofThoseThatLive() throws Exception {
    Duration time = Duration.ofMillis(20);
    observed(
        () -> {
          for (int i = 0; i < 100; i++) {
            Heddle.background("idle", () -> Heddle.delay(Duration.ofHours(1)));
          }
          Heddle.delay(Duration.ofMillis(1)); // the next runs read the clock
          Heddle.background(
              "busy",
              () -> {
                spin(time);
                Heddle.delay(Duration.ofHours(1));
              });
          Heddle.spawn("ended", () -> spin(time.multipliedBy(2))).await();
        },
        feed -> {
          List<Map<String, String>> all = feed.detail("accounts");
          List<Map<String, String>> rows = rowsOf("coroutine account", all);
          // of one moment: no coroutine has more than its site
          assertThat(sum(rows, "busyNanos"))
              .isLessThanOrEqualTo(sum(rowsOf("account", all), "busyNanos"));
          assertThat(rows)
              .hasSize(60)
              .noneMatch(row -> row.get("name").contains("'ended'"))
              .isSortedAccordingTo(
                  Comparator.comparingLong(
                          (Map<String, String> row) -> Long.parseLong(row.get("busyNanos")))
                      .reversed())
              .filteredOn(row -> row.get("name").endsWith(" 'busy'"))
              .singleElement()
              .satisfies(row -> {
                assertThat(row).containsEntry("row", "coroutine account").containsKey("site");
                assertThat(row.get("name")).isEqualTo("coroutine-" + row.get("id") + " 'busy'");
                assertThat(Long.parseLong(row.get("busyNanos")))
                    .isGreaterThanOrEqualTo(time.toNanos());
              });
        });
  }

  private static <T> T onLoop(CoroutineTree tree, Supplier<T> task) {
    CompletableFuture<T> answer = TrampolineCall.post(tree, to -> to.complete(task.get()));
    return answer.join();
  }

  /// Coroutines of one site, each of which runs once, and ends in its second run.
  private static final class Members {
    private final CoroutineTree tree;
    private final List<CompletableFuture<Boolean>> ends;
    private final AtomicLongArray ids;

    Members(CoroutineTree tree, int count) {
      this.tree = tree;
      this.ends = Stream.generate(CompletableFuture<Boolean>::new).limit(count).toList();
      this.ids = new AtomicLongArray(count);
    }

    void begin() {
      for (int i = 0; i < ends.size(); i++) {
        int number = i;
        Heddle.background(
            "member",
            () -> {
              ids.set(number, CoroutineNode.current().id());
              boolean _ = Heddle.await(ends.get(number));
            });
      }
      Heddle.yieldNow();
    }

    void end(int number, Accounts accounts) {
      ends.get(number).complete(true);
      while (onLoop(tree, () -> Optional.ofNullable(accounts.of(ids.get(number)))).isPresent()) {
        Thread.onSpinWait();
      }
    }
  }

  /// Rows move between the pieces of a walk: the last one takes the place of one that is removed.
  @Test
  void runsOfCoroutinesThatEndWhileRowsAreRead_areCountedOnce() {
    CompletableFuture<CoroutineTree> opened = new CompletableFuture<>();
    CountDownLatch observed = new CountDownLatch(1);
    CompletableFuture<Members> begun = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(
            WITHOUT_REPORTS,
            () -> {
              CoroutineTree tree = CoroutineNode.current().tree();
              opened.complete(tree);
              observed.await();
              Members members = new Members(tree, 10);
              members.begin();
              begun.complete(members);
              over.await();
              return true;
            });
    CoroutineTree tree = opened.join();
    Accounts accounts = onLoop(tree, () -> Accounts.begin(tree));
    observed.countDown();
    Members members = begun.join();
    try {
      Accounts.Walk walk = onLoop(tree, () -> accounts.walk(60));
      assertThat(onLoop(tree, () -> walk.read(4))).isTrue(); // main, and the first three
      members.end(0, accounts); // was read; the last one, which was not, takes its place
      assertThat(onLoop(tree, () -> walk.read(1))).isTrue();
      members.end(8, accounts); // was not
      members.end(1, accounts);
      while (onLoop(tree, () -> walk.read(1))) {
        Thread.onSpinWait();
      }
      List<Accounts.Named> living = onLoop(tree, walk::busiest);
      assertThat(onLoop(tree, walk::bySite))
          .filteredOn(use -> !"main".equals(use.site()))
          .singleElement()
          .satisfies(use -> {
            assertThat(use.runs()).as("one has made its second").isEqualTo(11);
            assertThat(use.coroutines()).isEqualTo(9);
          });
      assertThat(living).extracting(Accounts.Named::id).hasSize(10).doesNotHaveDuplicates();
    } finally {
      boolean _ =
          onLoop(
              tree,
              () -> {
                accounts.end();
                return true;
              });
      over.countDown();
    }
    loop.join();
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

  private static void awaitNoTicks() {
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("heddle-trace-ticks"))) {
      Thread.onSpinWait();
    }
  }

  /// As without memory: their thread ticked on for ever.
  @Test
  void accountsThatCannotBegin_leaveNoThread() {
    CompletableFuture<CoroutineTree> opened = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(
            WITHOUT_REPORTS,
            () -> {
              opened.complete(CoroutineNode.current().tree());
              over.await();
              return true;
            });
    CoroutineTree tree = opened.join();
    try {
      assertThatThrownBy(() -> onLoop(tree, () -> beginBesideAStranger(tree)))
          .hasCauseInstanceOf(ClassCastException.class);
      awaitNoTicks();
    } finally {
      over.countDown();
    }
    loop.join();
  }

  /// No observer can be added to what is none itself.
  private static Accounts beginBesideAStranger(CoroutineTree tree) {
    Class<?>[] types = {SwitchTrace.class};
    ClassLoader loader = SwitchTrace.class.getClassLoader();
    tree.scheduler()
        .setTrace((SwitchTrace) Proxy.newProxyInstance(loader, types, (_, _, _) -> null));
    try {
      return Accounts.begin(tree);
    } finally {
      tree.scheduler().setTrace(null);
    }
  }

  /// Its thread ticked on.
  @Test
  void loopThatEnds_leavesNoThreadOfItsAccounts() throws Exception {
    observed(() -> {}, _ -> {});
    awaitNoTicks();
    CompletableFuture<LoopFeed> opened = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(
            WITHOUT_REPORTS,
            () -> {
              opened.complete(LoopFeedTest.patient(CoroutineNode.current().tree(), HashMap::new));
              over.await();
              return true;
            });
    List<Map<String, String>> _ = opened.join().detail("accounts");
    over.countDown();
    loop.join();
    awaitNoTicks();
    opened.join().close();
  }

  @Test
  void observerThatLeaves_leavesNoAccounts() throws Exception {
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(
            WITHOUT_REPORTS,
            () -> {
              tree.complete(CoroutineNode.current().tree());
              over.await();
              return true;
            });
    LoopFeed feed = LoopFeedTest.patient(tree.join(), HashMap::new);
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
