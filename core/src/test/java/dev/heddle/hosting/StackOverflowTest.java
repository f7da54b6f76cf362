// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Stacks that end, in user code and in the middle of a suspension: they fail their own coroutine
/// and leave the loop sound.
@Tag("T16")
@Tag("trap-23")
class StackOverflowTest {
  private int dive() {
    return dive() + 1;
  }

  @Test
  void overflow_inOneCoroutine_failsOnlyThatOne() {
    int turns =
        Heddle.run(() ->
            Heddle.supervise(s -> {
              Coroutine<Integer> other = s.spawn(() -> turns(Beside.TURNS));
              Coroutine<Integer> deep = s.spawn(this::dive);
              assertThatThrownBy(deep::await).isInstanceOf(StackOverflowError.class);
              return other.await();
            }));
    assertThat(turns).isEqualTo(Beside.TURNS);
  }

  private static int turns(int turns) {
    for (int i = 0; i < turns; i++) {
      Heddle.yieldNow();
    }
    return turns;
  }

  private static void overflowsInTheMiddleOf(String wait) throws Exception {
    ChildJvm.Result child =
        ChildJvm.of(StackEndProgram.class).with("-Xint", "-Dwait=" + wait).run();
    assertThat(child.output()).isEqualToIgnoringNewLines("sound");
  }

  @Test
  void overflow_inTheMiddleOfASuspend_failsOnlyThatCoroutine() throws Exception {
    overflowsInTheMiddleOf("suspend");
  }

  /// The look for stack takes little of it then, and the wait after it much.
  @Test
  void overflow_inTheMiddleOfADelay_whereOnlyTheLookForStackIsCompiled_failsOnlyThatCoroutine()
      throws Exception {
    String only = "dev.heddle.internal.StackGuard::*";
    ChildJvm.Result child =
        ChildJvm.of(StackEndProgram.class)
            .with("-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly," + only)
            .with("-Dlooks=20000", "-Dwait=delay")
            .run();
    assertThat(child.output()).isEqualToIgnoringNewLines("sound");
  }

  @Test
  void overflow_inTheMiddleOfADelay_failsOnlyThatCoroutine() throws Exception {
    overflowsInTheMiddleOf("delay");
  }

  @Test
  void overflow_inTheMiddleOfASpawn_failsOnlyThatCoroutine() throws Exception {
    overflowsInTheMiddleOf("spawn");
  }

  @Test
  void overflow_inTheMiddleOfAnAwait_failsOnlyThatCoroutine() throws Exception {
    overflowsInTheMiddleOf("await");
  }

  @Test
  void overflow_inTheMiddleOfAScope_failsOnlyThatCoroutine() throws Exception {
    overflowsInTheMiddleOf("scope");
  }

  @Test
  void overflow_inTheMiddleOfAJdkWait_failsOnlyThatCoroutine() throws Exception {
    overflowsInTheMiddleOf("jdk");
  }

  @Test
  void overflow_atTheEndOfAScope_leavesNoMemberBehind() throws Exception {
    overflowsInTheMiddleOf("background");
  }

  /// What Heddle's documentation warns of, shown without Heddle. When this fails the JDK has been
  /// mended: take the warning away, and run the others compiled.
  @Test
  @Tag("full")
  void stockVirtualThread_thatWaitsWhereItsCompiledStackEnds_endsTheJvm(@TempDir Path folder)
      throws Exception {
    ChildJvm.Result child =
        ChildJvm.of(StockStackEndProgram.class)
            .with("-Xcomp", "-XX:TieredStopAtLevel=1", "-XX:-CreateCoredumpOnCrash")
            .with("-XX:ErrorFile=" + folder.resolve("error.log"))
            .run();
    assertThat(child.output()).contains("A fatal error has been detected");
  }
}
