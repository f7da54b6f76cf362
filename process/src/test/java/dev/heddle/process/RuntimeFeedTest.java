// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.observe.attach.Feed;
import dev.heddle.process.feed.RuntimeFeed;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.sync.Backoff;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What an observer sees of a runtime from look to look.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("watch-1")
class RuntimeFeedTest {
  private record Slow() implements ProcessCommand<String> {}

  private final ProcessRuntime runtime =
      ProcessRuntime.builder()
          .workers(2)
          .handler(Slow.class, CommandHandler.inline((_, _) -> {})) // never answers
          .start();
  private final Feed feed =
      ((RuntimeBean) runtime.mxBean()).feed(() -> new HashMap<>(Map.of("name", "fed")));

  @AfterEach
  void end() {
    feed.close();
    runtime.close();
  }

  private List<Map<String, String>> look(String kind) {
    return feed.look().stream().filter(row -> kind.equals(row.get("row"))).toList();
  }

  private static void send(ProcessRuntime runtime, Pid to, int messages) {
    IntStream.range(0, messages).forEach(i -> runtime.send(to, i));
  }

  @Test
  void runtime_andItsWorkers_haveARowEach() {
    Pid resting = runtime.spawn(Kit.resting());
    assertThat(look("runtime"))
        .singleElement()
        .satisfies(row ->
            assertThat(row)
                .containsEntry("name", "fed")
                .containsEntry("read", "1")
                .containsEntry("restarts", "0"));
    assertThat(look("worker")).extracting(row -> row.get("number")).containsExactly("0", "1");
    assertThat(look("mailbox")).isEmpty();
    runtime.send(resting, "go on");
  }

  @Test
  void mailboxThatGrows_saysByHowMuch() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch inside = new CountDownLatch(1);
    Pid busy =
        runtime.spawn((events, _) -> {
          if (!events.isEmpty()) {
            inside.countDown();
            held.await();
          }
        });
    runtime.send(busy, "begin");
    inside.await();
    send(runtime, busy, 10);
    assertThat(look("mailbox"))
        .singleElement()
        .satisfies(row ->
            assertThat(row).containsEntry("pid", busy.toString()).containsEntry("mailbox", "10"));
    send(runtime, busy, 5);
    assertThat(look("mailbox"))
        .singleElement()
        .satisfies(
            row -> assertThat(row).containsEntry("mailbox", "15").containsEntry("growth", "5"));
    held.countDown();
  }

  @Test
  void detail_hasTheTree_andOneProcess() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    Pid supervisor =
        runtime.spawn(
            Supervisor.builder()
                .child(ChildSpec.of("rests", Kit::resting))
                .listener(_ -> started.countDown())
                .build());
    List<Map<String, String>> rows = feed.detail("processes");
    started.await();
    while (rows.size() < 3) { // its child may not be in the table yet
      rows = feed.detail("processes");
    }
    assertThat(rows.get(0))
        .containsEntry("pid", supervisor.toString())
        .containsEntry("restarts", "0");
    assertThat(rows.get(1))
        .containsEntry("parent", supervisor.toString())
        .doesNotContainKey("restarts");
    assertThat(rows.get(2)).containsEntry("row", "left").containsEntry("processes", "0");
    String child = rows.get(1).get("pid");
    assertThat(feed.detail("process " + child))
        .singleElement()
        .satisfies(row -> assertThat(row).containsEntry("linkedTo", supervisor.toString()));
    assertThat(feed.detail("reports")).isEmpty();
  }

  @Test
  void commandWithoutAnAnswer_isShownWithItsProcess() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    Pid blocked =
        runtime.spawn((events, out) -> {
          if (asked.getCount() > 0) {
            out.execute(1, new Slow());
            asked.countDown();
          }
        });
    asked.await();
    List<Map<String, String>> commands = look("command");
    while (commands.isEmpty()) { // the step has asked, and may not have ended
      Thread.onSpinWait();
      commands = look("command");
    }
    assertThat(commands)
        .singleElement()
        .satisfies(row ->
            assertThat(row)
                .containsEntry("pid", blocked.toString())
                .containsEntry("waitsFor", "Slow"));
  }

  @Test
  void restarts_areCounted_andEndedProcessesForgotten() {
    var supervisor =
        Supervisor.builder()
            .intensity(3, Duration.ofHours(1))
            .backoff(Backoff.constant(Duration.ofMillis(1)))
            .child(
                ChildSpec.of(
                    "broken",
                    () ->
                        (events, out) -> {
                          throw new IllegalStateException("as if");
                        }))
            .build();
    Pid pid = runtime.spawn(supervisor);
    List<Map<String, String>> rows = look("supervisor");
    while (!rows.isEmpty() && supervisor.restarts() < 3) { // it ends at the fourth
      rows = look("supervisor");
      Thread.onSpinWait();
    }
    assertThat(Kit.exit(runtime, pid).reason()).isEqualTo(Exit.Reason.FAILED);
    assertThat(supervisor.restarts()).isEqualTo(3);
    while (!look("supervisor").isEmpty()) { // its exit is announced before it leaves the table
      Thread.onSpinWait();
    }
  }

  @Test
  @Tag("watch-4")
  void deadlock_isAReport_whileItLasts() {
    try (ProcessRuntime deadlocked =
            ProcessRuntime.builder().workers(2).deadlock(Duration.ofMillis(1)).start();
        Feed reporting = ((RuntimeBean) deadlocked.mxBean()).feed(HashMap::new)) {
      ProcessDeadlockTest.Blocks asks = (_, next) -> deadlocked.ask(next, "?", Duration.ofDays(1));
      List<Pid> ring =
          ProcessDeadlockTest.ring(deadlocked, List.of(asks, asks), StartOptions.defaults());
      while (deadlocks(reporting).isEmpty()) {
        Thread.onSpinWait();
      }
      assertThat(deadlocks(reporting))
          .singleElement()
          .satisfies(row ->
              assertThat(row)
                  .containsEntry("row", "report")
                  .extractingByKey("text")
                  .asString()
                  .contains("deadlock of 2 processes", ring.getFirst() + " waits for "));
      assertThat(reporting.look().getFirst()).containsEntry("deadlocks", "1");
      deadlocked.terminate(ring.getFirst()); // the request of the other one fails with it
      while (!deadlocks(reporting).isEmpty()) { // the check finds that it is over
        Thread.onSpinWait();
      }
    }
  }

  /// Beside them may be the failure of one whose request has failed with the other.
  private static List<Map<String, String>> deadlocks(Feed feed) {
    return feed.detail("reports").stream()
        .filter(row -> "deadlock".equals(row.get("kind")))
        .toList();
  }

  private Map<String, String> figures() {
    return look("runtime").getFirst();
  }

  private static long count(Map<String, String> row, String name) {
    return Long.parseLong(row.get(name));
  }

  private long asleep() {
    return runtime.counters().workers().stream().filter(WorkerCounters::asleep).count();
  }

  private void probe(long at) {
    ((RuntimeFeed) feed).probe(at);
  }

  private void probeWhile(int asleep, long... times) {
    for (long at : times) {
      while (asleep() != asleep) {
        Thread.onSpinWait();
      }
      probe(at);
    }
  }

  @Test
  @Tag("watch-4")
  void busyShare_isThatOfAllWorkers() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(1);
    probeWhile(2, 100, 200);
    assertThat(figures()).containsEntry("awakeNanos", "0").containsEntry("sampledNanos", "200");
    runtime.spawn((_, _) -> {
      inside.countDown();
      held.await();
    });
    inside.await();
    probeWhile(1, 300, 310); // the first one ends the time in which both slept
    assertThat(figures()).containsEntry("awakeNanos", "10").containsEntry("sampledNanos", "420");
    held.countDown();
  }

  /// A page that was closed for seconds had them as what its last probe had found.
  @Test
  @Tag("watch-4")
  void timeInWhichNobodyLooks_isNotSampled() {
    probe(100);
    probe(100 + 1_000_000_001); // more than may be between two
    assertThat(figures()).containsEntry("sampledNanos", "0");
    probe(100 + 1_000_000_006);
    assertThat(figures()).containsEntry("sampledNanos", "10"); // of two workers
  }

  /// One of 64 is measured, so that many must wait: behind one that holds the only worker for 20
  /// ms.
  @Test
  @Tag("watch-4")
  void delays_areThoseOfProcessesThatWereReady() throws Exception {
    long heldNanos = 20_000_000;
    try (ProcessRuntime narrow = ProcessRuntime.builder().workers(1).start();
        Feed measuring = ((RuntimeBean) narrow.mxBean()).feed(HashMap::new)) {
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch held = new CountDownLatch(1);
      narrow.spawn((_, out) -> {
        inside.countDown();
        held.await();
        out.done();
      });
      inside.await();
      IntStream.range(0, 10_000).forEach(_ -> narrow.spawn((_, out) -> out.done()));
      long begun = System.nanoTime();
      while (System.nanoTime() - begun < heldNanos) {
        Thread.onSpinWait();
      }
      held.countDown();
      while (narrow.counters().processes() > 0) {
        Thread.onSpinWait();
      }
      Map<String, String> row = measuring.look().getFirst();
      assertThat(count(row, "delaySamples")).isPositive();
      assertThat(count(row, "delayMedianMicros")).isGreaterThanOrEqualTo(heldNanos / 1_000);
      assertThat(count(row, "delay99Micros"))
          .isGreaterThanOrEqualTo(count(row, "delayMedianMicros"));
      assertThat(Stream.of(row.get("delays").split(" ")).mapToLong(Long::parseLong).sum())
          .isEqualTo(count(row, "delaySamples"));
    }
  }

  /// A look reads about 20,000.
  @Test
  void mailboxAmong25000Processes_isThereAtTheSecondLook_wheneverItFills() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch inside = new CountDownLatch(1);
    IntStream.range(0, 25_000).forEach(_ -> runtime.spawn(Kit.resting()));
    Pid busy =
        runtime.spawn((events, _) -> {
          if (!events.isEmpty()) {
            inside.countDown();
            held.await();
          }
        });
    runtime.send(busy, "begin");
    inside.await();
    send(runtime, busy, 10);
    for (String messages : List.of("10", "15", "20")) {
      assertThat(count(figures(), "read")).isBetween(20_000L, 24_999L);
      assertThat(look("mailbox"))
          .singleElement()
          .satisfies(row ->
              assertThat(row)
                  .containsEntry("pid", busy.toString())
                  .containsEntry("mailbox", messages));
      send(runtime, busy, 5);
    }
    held.countDown();
  }

  // an exit is announced before it is noted
  private List<String> failures(String last) {
    while (failures().stream().noneMatch(text -> text.startsWith("process " + last))) {
      Thread.onSpinWait();
    }
    return failures();
  }

  private List<String> failures() {
    return feed.detail("reports").stream()
        .filter(row -> "failure".equals(row.get("kind")))
        .map(row -> row.get("text"))
        .toList();
  }

  @Test
  @Tag("watch-4")
  void failuresThatNoProcessDealsWith_areReports_andThoseOfSupervisedOnesAreNot() {
    Pid alone =
        runtime.spawn((_, _) -> {
          throw new IllegalStateException("nobody restarts it");
        });
    Kit.exit(runtime, alone);
    List<String> _ = failures(alone.toString()); // it is noted after its end is told
    Pid asked = runtime.spawn(Kit.untilMessage());
    runtime.terminate(asked);
    Kit.exit(runtime, asked);
    Process child = // traps exits, as one that ends with grace; it was taken for a supervisor
        Kit.process((self, _, _) -> {
          self.trapExits();
          throw new IllegalStateException("again");
        });
    Pid supervisor =
        runtime.spawn(
            Supervisor.builder()
                .child(ChildSpec.of("child", () -> child))
                .backoff(Backoff.constant(Duration.ZERO))
                .intensity(2, Duration.ofHours(1))
                .build());
    Kit.exit(runtime, supervisor);

    assertThat(failures(supervisor.toString()))
        .satisfiesExactlyInAnyOrder(
            text ->
                assertThat(text)
                    .startsWith("process " + alone)
                    .contains("nobody restarts it", "RuntimeFeedTest.java:"),
            text ->
                assertThat(text)
                    .startsWith("process " + supervisor)
                    .contains("RestartLimitException", "intensity()"));
    assertThat(figures()).containsEntry("failures", "2");
  }

  /// A hundred counted as eight: as many as have a text.
  @Test
  @Tag("watch-4")
  void failuresBetweenTwoLooks_areAllCounted_andTheLastEightAreReports() {
    for (int i = 0; i < 100; i++) {
      Pid _ =
          runtime.spawn((_, _) -> {
            throw new IllegalStateException("nobody restarts it");
          });
    }
    while (count(figures(), "failures") < 100) {
      Thread.onSpinWait(); // an exit is noted when its process has ended
    }
    assertThat(figures()).containsEntry("failures", "100");
    while (failures().size() < 8) {
      Thread.onSpinWait();
    }
    assertThat(failures()).hasSize(8);
    assertThat(count(figures(), "reports")).isGreaterThanOrEqualTo(8);
  }

  /// Its observer waited for it, and so did the search for deadlocks.
  @Test
  @Tag("watch-4")
  void failureWhoseOwnTextWaits_delaysNobody_andComesLater() {
    CountDownLatch goesOn = new CountDownLatch(1);
    Pid failing =
        runtime.spawn((_, _) -> {
          Thread worker = Thread.currentThread();
          throw new IllegalStateException() {
            @Override
            public String getMessage() {
              if (Thread.currentThread() != worker) { // which logs it
                await(goesOn);
              }
              return "said at last";
            }
          };
        });
    Kit.exit(runtime, failing);
    while (Thread.getAllStackTraces().keySet().stream()
        .noneMatch(thread -> thread.getName().equals("heddle-failures"))) {
      assertThat(failures()).isEmpty(); // has the text made; it may not be noted yet
    }
    assertThat(failures()).as("without its own text").noneMatch(text -> text.contains("said"));
    goesOn.countDown();
    while (failures().stream().noneMatch(text -> text.contains("said at last"))) {
      Thread.onSpinWait();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// An observer would see nothing any more.
  @Test
  @Tag("watch-4")
  void failureWhoseOwnTextFails_isAReport_andNoMoreThanTheLastEightAreKept() {
    Pid last = null;
    for (int i = 0; i < 9; i++) {
      last =
          runtime.spawn((_, _) -> {
            throw new IllegalStateException() {
              @Override
              public String getMessage() {
                throw new UnsupportedOperationException();
              }
            };
          });
      Kit.exit(runtime, last);
    }
    assertThat(failures(String.valueOf(last)))
        .hasSize(8)
        .allSatisfy(text -> assertThat(text).contains("has failed with a ", "says no more"));
  }
}
