// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.observe.attach.Feed;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What processes use of the workers of their runtime, while an observer has it counted.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("watch-1")
class ProcessAccountsTest {
  private static final String NAME = "accounts"; // other tests may have left workers of others

  private ProcessRuntime runtime = ProcessRuntime.builder().host(NAME).workers(2).start();
  private Feed feed = newFeed();

  private Feed newFeed() {
    return ((RuntimeBean) runtime.mxBean()).feed(() -> new HashMap<>(Map.of("name", "fed")));
  }

  private void restartWithOneWorker() {
    end();
    runtime = ProcessRuntime.builder().host(NAME).workers(1).longStep(Duration.ofHours(1)).start();
    feed = newFeed();
  }

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

  // a worker says that it sleeps, looks for work once more, counts what it has run, and waits
  private void awaitAsleep() {
    while (!isAsleep()) {
      Thread.onSpinWait();
    }
  }

  private boolean isAsleep() {
    return runtime.workers().stream().allMatch(WorkerCounters::asleep)
        && workerThreads().allMatch(each -> each.getState() == Thread.State.WAITING);
  }

  private static Stream<Thread> workerThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().startsWith(NAME + "-worker-"));
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

  private static void spinFor(long nanos) {
    long until = System.nanoTime() + nanos;
    while (System.nanoTime() - until < 0) {
      Thread.onSpinWait();
    }
  }

  /// Else a short run behind it would have lasted as long.
  @ParameterizedTest
  @ValueSource(longs = {300_000, 20_000_000})
  void longRun_isTheLongestOfItsOwnProcess_andOfNoOther(long nanos) {
    restartWithOneWorker();
    assertThat(accounts("account")).isEmpty();
    Pid slow =
        runtime.spawn(
            Kit.process((self, events, _) -> {
              if (!events.isEmpty()) {
                spinFor(nanos);
                self.send((Pid) events.getFirst().data(), "now you"); // behind it, at once
              }
            }));
    long ofOther = nanos;
    for (int left = 100; ofOther >= nanos && left > 0; left--) { // it may be interrupted
      Pid other = runtime.spawn(Kit.resting());
      awaitSteps(other, 1);
      runtime.send(slow, other);
      awaitSteps(other, 2);
      awaitAsleep();
      ofOther = longest(other);
      runtime.terminate(other);
    }

    assertThat(longest(slow)).isGreaterThanOrEqualTo(nanos);
    assertThat(ofOther).as("the longest run of the other").isPositive().isLessThan(nanos);
    assertThat(feed.detail("processes"))
        .filteredOn(row -> slow.toString().equals(row.get("pid")))
        .singleElement()
        .satisfies(row -> assertThat(number(row, "longestNanos")).isGreaterThanOrEqualTo(nanos));
  }

  private void awaitSteps(Pid process, long steps) {
    while (runtime.process(process).steps() < steps) {
      Thread.onSpinWait();
    }
  }

  private long longest(Pid process) {
    List<Map<String, String>> rows = feed.detail("account " + process);
    assertThat(rows).hasSize(1);
    return number(rows.getFirst(), "longestNanos");
  }

  @Test
  void processThatHasEnded_hasNoAccount() {
    assertThat(accounts("account")).isEmpty();
    Pid ending = runtime.spawn(Kit.untilMessage());
    runtime.send(ending, "end");
    Kit.exit(runtime, ending);
    awaitAsleep(); // an exit is announced before its run ends
    assertThat(feed.detail("account " + ending)).isEmpty();
  }

  /// It was said to live on, and its last runs were missing.
  @Test
  void processThatEndsOnACompensatingWorker_hasEnded_andItsRunsAreCounted() {
    restartWithOneWorker();
    awaitAsleep();
    assertThat(accounts("account")).isEmpty();
    long before = runtime.counters().executed();
    ReentrantLock lock = new ReentrantLock(true);
    for (int round = 1; round <= 2; round++) { // the second one has the accounts of the first
      lock.lock();
      Pid body =
          runtime.spawn(
              CoroutineProcess.ofAction(_ -> {
                lock.lock(); // handed to it while the only worker stands behind it
                lock.unlock();
              }));
      awaitInLine(lock, 1);
      Pid step =
          runtime.spawn((_, out) -> {
            lock.lock();
            lock.unlock();
            out.done();
          });
      awaitInLine(lock, 2);
      lock.unlock();
      Kit.exit(runtime, body);
      Kit.exit(runtime, step);
      while (runtime.counters().compensation().running() > 0) {
        Thread.onSpinWait();
      }
      awaitAsleep();

      assertThat(runtime.counters().compensation().executed()).isGreaterThanOrEqualTo(round);
      assertThat(sum("processes")).isZero();
      assertThat(sum("runs")).isEqualTo(runtime.counters().executed() - before);
    }
  }

  private static void awaitInLine(ReentrantLock lock, int threads) {
    while (lock.getQueueLength() < threads) {
      Thread.onSpinWait();
    }
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
              spinFor(events.isEmpty() ? 0 : nanos);
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

  /// Short runs share a reading of the clock, and would take the time of the long ones among them.
  @Test
  void longRunsAmongShortOnes_areTheirOwnProcesss() {
    restartWithOneWorker();
    assertThat(accounts("account")).isEmpty();
    long nanos = 100_000;
    int longRuns = 50;
    Pid back = runtime.spawn(Kit.process((self, events, _) -> answerEach(self, events)));
    int[] left = {20 * longRuns};
    Pid slow =
        runtime.spawn(
            Kit.process((self, events, _) -> {
              if (!events.isEmpty() && left[0] > 0) {
                spinFor(left[0] % 20 == 0 ? nanos : 0);
                left[0]--;
                self.send(back, self.self());
              }
            }));
    runtime.send(slow, "begin");
    awaitSteps(back, 20L * longRuns);
    awaitAsleep();

    assertThat(feed.detail("account " + slow))
        .singleElement()
        .satisfies(row -> {
          assertThat(number(row, "longestNanos")).isGreaterThanOrEqualTo(nanos);
          // the first ones may share, and be known as long then
          assertThat(number(row, "busyNanos")).isGreaterThanOrEqualTo((longRuns - 2) * nanos);
        });
  }

  private static void answerEach(ProcessContext self, List<ProcessEvent> events) {
    for (ProcessEvent event : events) {
      self.send((Pid) event.data(), "again");
    }
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
