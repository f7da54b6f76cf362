// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Loops on the workers of a ForkJoinPool, in JVMs whose common pool has one worker.
@Tag("T17")
@Tag("loop-308")
@Tag("once")
class ForkJoinBlockerTest {
  private static final String POOL = "-Djava.util.concurrent.ForkJoinPool.common.";

  private static String story(String name, String... options) throws Exception {
    ChildJvm.Result child =
        ChildJvm.of(ForkJoinBlockerProgram.class)
            .with("-Dstory=" + name, POOL + "parallelism=1")
            .with(options)
            .run();
    assertThat(child.exitCode()).as(child.output()).isZero();
    return child.output().strip();
  }

  /// Each of them hung: the only worker slept in the loop, and nobody ran the task.
  @ParameterizedTest
  @CsvSource({"stage, 41", "stream, 1640"})
  void loopOnAPoolsOnlyWorker_thatAwaitsATaskOfThatPool_ends(String story, String result)
      throws Exception {
    assertThat(story(story)).isEqualTo(result);
  }

  @Test
  void loopOnAWorker_thatNeverSleeps_makesThePoolAddNoThread() throws Exception {
    assertThat(story("computes")).isEqualTo("1");
  }

  @Test
  void loopOnAWorker_thatSleepsOften_makesThePoolAddOneAtMost() throws Exception {
    assertThat(Integer.valueOf(story("sleeps often"))).isLessThanOrEqualTo(2);
  }

  @Test
  void loopOnAWorker_whosePoolMayAddNoThread_sleepsAllTheSame() throws Exception {
    assertThat(story("refused", POOL + "maximumSpares=0")).isEqualTo("1");
  }

  @Test
  void programThatIsRefusedByAnExecutor_inALoopOnAWorker_getsThatFailure() throws Exception {
    assertThat(story("own refusal")).isEqualTo("the program's own");
  }
}
