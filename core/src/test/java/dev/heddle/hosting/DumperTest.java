// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.observe.LoopCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.SynchronousQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Profilers, IDEs and `jcmd` take the stacks of suspended coroutines; the JDK then drops resumes
/// that come at that moment, and calls the scheduler without one.
@Tag("trap-60")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DumperTest {
  private static final int COROUTINES = 8;
  private static final int SWITCHES = 100_000;
  private static final int ATTEMPTS = 10;

  /// Takes the stacks of the threads it is shown, again and again.
  private static final class Dumper implements AutoCloseable {
    private final Set<Thread> shown = ConcurrentHashMap.newKeySet();
    private final Thread thread = Thread.ofPlatform().name("dumper").start(this::dump);
    private volatile boolean closed;

    void showCurrent() {
      shown.add(Thread.currentThread());
    }

    private void dump() {
      while (!closed) {
        shown.forEach(Thread::getStackTrace);
      }
    }

    @Override
    public void close() {
      closed = true;
      while (thread.isAlive()) {
        Thread.onSpinWait();
      }
    }
  }

  private record Outcome(List<Long> sums, LoopCounters counted) {}

  @Test
  @Tag("T1")
  void getStackTrace_inALoopOnEveryCoroutine_changesNoOutcomeOfManySwitches() throws Exception {
    long lost = 0;
    for (int i = 0; i < ATTEMPTS && lost == 0; i++) {
      Outcome outcome = switchesUnderADumper();
      long each = SWITCHES / COROUTINES;
      assertThat(outcome.sums).hasSize(COROUTINES).containsOnly(each * (each - 1) / 2);
      lost = outcome.counted.retriedMounts();
    }
    assertThat(lost).as("mounts that the dumper made the JDK refuse").isPositive();
  }

  private static Outcome switchesUnderADumper() throws Exception {
    try (Dumper dumper = new Dumper()) {
      return Heddle.run(() -> {
        List<Coroutine<Long>> all = new ArrayList<>();
        for (int i = 0; i < COROUTINES; i++) {
          all.add(Heddle.spawn(() -> sumOfTurns(dumper)));
        }
        return new Outcome(all.stream().map(Coroutine::await).toList(), Heddle.counters());
      });
    }
  }

  private static long sumOfTurns(Dumper dumper) {
    dumper.showCurrent();
    long sum = 0;
    for (int i = 0; i < SWITCHES / COROUTINES; i++) {
      long before = sum;
      Heddle.yieldNow();
      sum = before + i;
    }
    return sum;
  }

  @Test
  @Tag("T1")
  void resumes_thatTheDumperMadeTheJdkDrop_areAllMadeUpFor() throws Exception {
    Outcome outcome = switchesUnderADumper();
    LoopCounters counted = outcome.counted;
    // each suspension ends in one mount or in itself; besides, every coroutine starts, and main is
    // resumed for every await that was not over yet
    long resumes = counted.switches() - counted.retriedMounts() + counted.selfResumes();
    assertThat(resumes + counted.reusedStarts())
        .isBetween(SWITCHES + COROUTINES + 2L, SWITCHES + 2L * COROUTINES + 1L);
  }

  @Test
  void handovers_inForeignWaitsUnderADumper_loseNothing() throws Exception {
    BlockingQueue<Integer> there = new SynchronousQueue<>();
    BlockingQueue<Integer> back = new SynchronousQueue<>();
    int rounds = 20_000;
    long sum;
    try (Dumper dumper = new Dumper()) {
      sum =
          Heddle.run(() -> {
            Heddle.launch("echo", () -> echo(dumper, rounds, there, back));
            return exchange(dumper, rounds, there, back);
          });
    }
    assertThat(sum).isEqualTo(rounds * (rounds - 1L) / 2);
  }

  private static void echo(
      Dumper dumper, int rounds, BlockingQueue<Integer> there, BlockingQueue<Integer> back)
      throws InterruptedException {
    dumper.showCurrent();
    for (int i = 0; i < rounds; i++) {
      back.put(there.take());
    }
  }

  private static long exchange(
      Dumper dumper, int rounds, BlockingQueue<Integer> there, BlockingQueue<Integer> back)
      throws InterruptedException {
    dumper.showCurrent();
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
      there.put(i);
      int answer = back.take();
      sum += answer;
    }
    return sum;
  }
}
