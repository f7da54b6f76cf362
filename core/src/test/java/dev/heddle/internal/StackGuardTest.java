// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.hosting.ChildJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What looks for stack promise, where they are interpreted and where compilers have made little of
/// their frames; what comes after them is interpreted, and takes the most.
@Tag("T16")
class StackGuardTest {
  private static final String LOOKS_ONLY =
      "-XX:CompileCommand=compileonly,dev.heddle.internal.StackGuard::*";

  private static void keepsItsPromise(String look, String... options) throws Exception {
    ChildJvm.Result child =
        ChildJvm.of(StackGuardProgram.class)
            .with("-XX:CompileCommand=quiet")
            .with(options)
            .withArguments(look)
            .run();
    assertThat(child.output()).isEqualToIgnoringNewLines("sound");
  }

  @ParameterizedTest
  @ValueSource(strings = {"on entry", "wide", "ample"})
  void look_interpreted_leavesRoomForWhatItWasMadeFor(String look) throws Exception {
    keepsItsPromise(look, "-Xint");
  }

  @ParameterizedTest
  @ValueSource(strings = {"on entry", "wide", "ample"})
  void look_compiledInAHurry_leavesRoomForWhatItWasMadeFor(String look) throws Exception {
    keepsItsPromise(look, LOOKS_ONLY, "-XX:TieredStopAtLevel=1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"on entry", "wide", "ample"})
  void look_optimised_leavesRoomForWhatItWasMadeFor(String look) throws Exception {
    keepsItsPromise(look, LOOKS_ONLY, "-XX:-TieredCompilation");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation"})
  void question_compiledIntoItsCaller_answers_andThrowsNothing(String compiler) throws Exception {
    keepsItsPromise(
        "question",
        LOOKS_ONLY,
        "-XX:CompileCommand=compileonly,dev.heddle.internal.StackGuardProgram::ask",
        "-XX:CompileCommand=dontinline,dev.heddle.internal.StackGuardProgram::ask",
        compiler);
  }
}
