// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random programs of spawn, await, cancel, protect, scopes, limits, events and a mutex, in random
/// order and virtual time. Of each run: every coroutine ends exactly once, no failure is lost or
/// told twice, no cancellation is lost or gets through a protect block, no subscription and no
/// timer is left, and nobody in a scope.
///
/// `./heddle test --seed N RandomProgramTest` repeats a failing one and tells its story.
///
/// Budget: 5 s on two cores.
@Tag("T1")
@Timeout(300)
class RandomProgramTest {
  private static final int PROGRAMS = 10_000;
  private static final int REPEATED = 500;
  private static final int WATCHED = 1_000;

  private static LongStream seeds(int howMany) {
    Long only = Long.getLong("heddle.seed");
    return only == null ? LongStream.range(0, howMany) : LongStream.of(only);
  }

  @Test
  @Tag("T18")
  @Tag("trap-5")
  @Tag("trap-10")
  @Tag("trap-17")
  @Tag("trap-18")
  @Tag("trap-20")
  void randomPrograms_inAnyOrder_keepWhatIsPromised() {
    try (OperatorLog log = new OperatorLog()) {
      seeds(PROGRAMS)
          .forEach(seed -> {
            List<String> wrong = new RandomProgram(seed, true).run(log);
            if (!wrong.isEmpty()) {
              RandomProgram again = new RandomProgram(seed, true).telling();
              again.run(log);
              throw failure(seed, wrong, again);
            }
          });
    }
  }

  private static AssertionError failure(long seed, List<String> wrong, RandomProgram program) {
    return new AssertionError(
        "again: ./heddle test --seed %d RandomProgramTest\n%s\n\n%s"
            .formatted(seed, String.join("\n", wrong), program.story()));
  }

  @Test
  @Tag("once")
  void randomProgram_runAgain_takesTheSameCourse() {
    try (OperatorLog log = new OperatorLog()) {
      seeds(REPEATED)
          .forEach(seed -> {
            RandomProgram first = new RandomProgram(seed, true);
            RandomProgram second = new RandomProgram(seed, true);
            first.run(log);
            second.run(log);
            assertThat(second.fingerprint()).as("seed %d", seed).isEqualTo(first.fingerprint());
          });
    }
  }

  @Test
  @Tag("trap-60")
  @Tag("once")
  void randomPrograms_whileAThreadTakesTheirStacks_keepWhatIsPromised() {
    try (OperatorLog log = new OperatorLog();
        Dumper dumper = new Dumper()) {
      seeds(WATCHED)
          .forEach(seed -> {
            RandomProgram program =
                new RandomProgram(seed, false).telling().showingThreads(dumper::show);
            List<String> wrong = program.run(log);
            if (!wrong.isEmpty()) {
              throw failure(seed, wrong, program);
            }
          });
      assertThat(dumper.taken()).isPositive();
    }
  }
}
