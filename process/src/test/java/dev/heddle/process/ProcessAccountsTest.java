// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.observe.attach.Feed;
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

/// What processes use of the workers of their runtime, while an observer has it counted.
@Timeout(300)
@Tag("watch-1")
class ProcessAccountsTest {
  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();
  private final Feed feed =
      ((RuntimeBean) runtime.mxBean()).feed(() -> new HashMap<>(Map.of("name", "fed")));

  @AfterEach
  void end() {
    feed.close();
    runtime.close();
  }

  /// A process of a class that has a name.
  private static final class Teller implements Process {
    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      if (!events.isEmpty() && events.getLast().data().equals("end")) {
        out.done(1);
      }
    }
  }

  private static long number(Map<String, String> row, String key) {
    return Long.parseLong(row.get(key));
  }

  private List<Map<String, String>> accounts(String row) {
    return feed.detail("accounts").stream().filter(each -> row.equals(each.get("row"))).toList();
  }

  private long sum(String key) {
    return accounts("account").stream().mapToLong(row -> number(row, key)).sum();
  }

  private long executed() {
    return runtime.workers().stream().mapToLong(WorkerCounters::executed).sum();
  }

  // a worker counts what it has run before it sleeps
  private void awaitAsleep() {
    while (runtime.workers().stream().anyMatch(each -> !each.asleep())
        || workerThreads().anyMatch(each -> each.getState() != Thread.State.WAITING)) {
      Thread.onSpinWait();
    }
  }

  private static Stream<Thread> workerThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().startsWith("heddle-worker-"));
  }

  @Test
  void runsOfAllTypes_areThoseThatTheWorkersHaveCounted_andTheirTimeIsNotMoreThanHasPassed() {
    awaitAsleep();
    assertThat(accounts("account")).isEmpty();
    long before = executed();
    int count = 500; // more than the rows at the beginning
    List<Pid> tellers =
        IntStream.range(0, count).mapToObj(_ -> runtime.spawn(new Teller())).toList();
    List<Pid> all = IntStream.range(0, count).mapToObj(i -> pair(tellers.get(i))).toList();
    all.forEach(each -> Kit.exit(runtime, each));
    tellers.stream().limit(count / 2).forEach(each -> runtime.send(each, "end"));
    tellers.stream().limit(count / 2).forEach(each -> Kit.exit(runtime, each));
    awaitAsleep();

    List<Map<String, String>> rows = feed.detail("accounts");
    assertThat(sum("runs")).isEqualTo(executed() - before);
    assertThat(sum("runSteps")).isGreaterThanOrEqualTo(executed() - before);
    assertThat(sum("busyNanos")).isPositive().isLessThan(2 * number(rows.getFirst(), "nanos"));
    assertThat(accounts("account"))
        .filteredOn(row -> row.get("type").equals(Teller.class.getName()))
        .singleElement()
        .satisfies(row -> {
          assertThat(number(row, "processes")).isEqualTo(count - count / 2);
          assertThat(number(row, "longestNanos")).isLessThanOrEqualTo(number(row, "busyNanos"));
          assertThat(number(row, "waitedNanos")).isPositive();
        });
    assertThat(accounts("process account"))
        .isNotEmpty()
        .allSatisfy(row -> assertThat(row).containsEntry("type", Teller.class.getName()));
  }

  private Pid pair(Pid with) {
    return runtime.spawn(
        Kit.process((self, events, out) -> {
          self.send(with, "hello");
          if (events.isEmpty()) {
            out.execute(1, Commands.sleep(Duration.ofMillis(1)));
          } else {
            out.done(1);
          }
        }));
  }

  /// Else short runs beside it would have lasted long.
  @Test
  void longRun_isTheLongestOfItsOwnProcess_andOfNoOther() {
    assertThat(accounts("account")).isEmpty();
    long longest = 20_000_000;
    Pid slow =
        runtime.spawn(
            Kit.process((_, events, _) -> {
              if (!events.isEmpty()) {
                long until = System.nanoTime() + longest;
                while (System.nanoTime() - until < 0) {
                  Thread.onSpinWait();
                }
              }
            }));
    runtime.send(slow, "work");
    Pid other = runtime.spawn(Kit.untilMessage());
    while (runtime.process(slow).steps() == 0 || runtime.process(slow).mailbox() > 0) {
      Thread.onSpinWait();
    }
    awaitAsleep();

    assertThat(feed.detail("account " + slow))
        .singleElement()
        .satisfies(row -> {
          assertThat(number(row, "longestNanos")).isGreaterThanOrEqualTo(longest);
          assertThat(number(row, "busyNanos")).isGreaterThanOrEqualTo(longest);
        });
    assertThat(feed.detail("processes"))
        .filteredOn(row -> slow.toString().equals(row.get("pid")))
        .singleElement()
        .satisfies(row -> assertThat(number(row, "longestNanos")).isGreaterThanOrEqualTo(longest));
    runtime.send(other, "end");
    Kit.exit(runtime, other);
    awaitAsleep(); // an exit is announced before its run ends
    assertThat(feed.detail("account " + other)).isEmpty();
  }

  /// A run that ended before the next tick, and after which its worker slept, seemed to take 0.4
  /// us.
  @Test
  void shortRuns_eachBeforeASleepOfTheirWorker_areCountedAsLongAsTheyAre() {
    assertThat(accounts("account")).isEmpty();
    long nanos = 50_000;
    int runs = 50;
    Pid busy =
        runtime.spawn(
            Kit.process((_, events, _) -> {
              long until = System.nanoTime() + (events.isEmpty() ? 0 : nanos);
              while (System.nanoTime() - until < 0) {
                Thread.onSpinWait();
              }
            }));
    for (int i = 0; i < runs; i++) {
      runtime.send(busy, i);
      awaitAsleep();
    }
    assertThat(feed.detail("account " + busy))
        .singleElement()
        .satisfies(
            row -> assertThat(number(row, "busyNanos")).isGreaterThanOrEqualTo(runs * nanos));
  }

  @Test
  void accountsThatHaveEnded_leaveTheWorkersAsTheyWere_andRecordingsAlone() throws Exception {
    var workers = ((RuntimeBean) runtime.mxBean()).workers();
    assertThat(accounts("account")).isEmpty();
    assertThat(workers.isObserved()).isTrue();
    var recording = ((RuntimeBean) runtime.mxBean()).record();
    assertThat(feed.detail("no accounts")).isEmpty();
    assertThat(workers.isObserved()).isTrue();
    CountDownLatch ran = new CountDownLatch(1);
    Pid _ = runtime.spawn((_, _) -> ran.countDown());
    ran.await();
    recording.close();
    assertThat(workers.isObserved()).isFalse();
    assertThat(feed.detail("processes")).noneMatch(row -> row.containsKey("busyNanos"));

    assertThat(accounts("account")).isEmpty();
    feed.close();
    assertThat(workers.isObserved()).isFalse();
  }
}
