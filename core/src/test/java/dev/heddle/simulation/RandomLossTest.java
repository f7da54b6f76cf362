// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A search for lost failures: random programs that fail wherever they can. Of each run, every
/// exception that the program has thrown has reached somebody: code that awaited or caught it, a
/// handler, what `run` threw, or the log.
///
/// `./heddle test --seed N RandomLossTest` repeats a failing one and tells its story.
///
/// Budget: 5 s on two cores.
@Tag("trap-18")
@Tag("T18")
@Timeout(1200)
class RandomLossTest {
  private static final int PROGRAMS = 5_000;
  private static final int MANY = 200_000;

  // reports of futures that are garbage come from a thread of their own
  private static final Duration REPORTS_MAY_TAKE = Duration.ofMinutes(4);
  private static final Duration GC_PERIOD = Duration.ofSeconds(1);

  @Test
  void everythingThrown_byRandomPrograms_isObservedOrReported() {
    search(0, PROGRAMS);
  }

  @Test
  @Tag("full")
  @Tag("once")
  void everythingThrown_byManyMoreRandomPrograms_isObservedOrReported() {
    search(PROGRAMS, MANY);
  }

  private static void search(long from, long to) {
    Long only = Long.getLong("heddle.seed");
    LongStream seeds = only == null ? LongStream.range(from, to) : LongStream.of(only);
    long[] thrown = {0};
    try (OperatorLog log = new OperatorLog()) {
      seeds.forEach(seed -> thrown[0] += run(seed, log));
    }
    assertThat(only != null || thrown[0] > to - from).as("they fail often").isTrue();
  }

  private static int run(long seed, OperatorLog log) {
    LossProgram program = new LossProgram(seed);
    List<Throwable> lost = lostOf(program, log);
    if (lost.isEmpty()) {
      return program.thrown();
    }
    // a second run that loses nothing: it depends on the garbage collector, or on another thread
    List<Throwable> lostAgain = lostOf(new LossProgram(seed), log);
    throw new AssertionError(
        "again: ./heddle test --seed %d RandomLossTest\nnobody got %s, in a second run %s\n\n%s"
            .formatted(seed, lost, lostAgain, program.story()));
  }

  private static List<Throwable> lostOf(LossProgram program, OperatorLog log) {
    log.take();
    // else a coroutine may have to wait for the thread that writes the log, at the monitor of a
    // failure; virtual time does not wait, and the loop may end before that coroutine fails
    Step.rethrow(log.holdingBack(() -> Step.outcomeOf(program::run)));
    List<OperatorLog.Entry> entries = new ArrayList<>(log.take());
    List<Throwable> lost = program.lost(entries);
    long end = System.nanoTime() + REPORTS_MAY_TAKE.toNanos();
    long nextGc = System.nanoTime() + GC_PERIOD.toNanos();
    while (!lost.isEmpty() && System.nanoTime() - end < 0) {
      if (System.nanoTime() - nextGc >= 0) {
        System.gc(); // a future is reported when it is garbage
        nextGc = System.nanoTime() + GC_PERIOD.toNanos();
      }
      LockSupport.parkNanos(1_000_000);
      entries = log.take();
      lost = program.lost(entries);
    }
    return lost;
  }
}
