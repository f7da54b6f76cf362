// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.world.programs.ModuleProbe;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How the agent comes into a JVM: in JVMs of their own.
@Tag("sim-20")
class WorldAgentTest {
  private static final String JAR = ChildJvm.JAR;

  /// What a child JVM runs.
  static final class Child {
    private Child() {}

    /// Argument: the options to install with; none: nothing is installed.
    public static void main(String[] arguments) throws Exception {
      try {
        for (String options : arguments) {
          WorldAgent.install(options);
        }
        System.out.println("options " + WorldAgent.options());
        FifoWorld.Outcome outcome =
            FifoWorld.run(() -> {
              Thread.sleep(3_600_000);
              return "slept";
            });
        System.out.println(outcome.orThrow() + " " + outcome.elapsedNanos());
      } catch (RuntimeException e) {
        System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
      }
    }
  }

  private static String run(List<String> flags, String... arguments) throws Exception {
    return ChildJvm.runPlain(Child.class, flags, arguments);
  }

  @Test
  void javaagent_isSilentAndWorks() throws Exception {
    assertThat(run(List.of("-javaagent:" + JAR)).lines())
        .containsExactly("options points=none", "slept 3600000000000");
  }

  @Test
  void modulePath_theAgentIsThatOfTheModule() throws Exception {
    List<String> flags =
        List.of(
            "-p",
            JAR,
            "--add-modules",
            "dev.heddle.world",
            "--add-exports",
            "dev.heddle.world/dev.heddle.world=ALL-UNNAMED",
            "-javaagent:" + JAR);
    assertThat(ChildJvm.runOnModulePath(ModuleProbe.class, flags).lines())
        .containsExactly("module dev.heddle.world points=none");
  }

  @Test
  void install_attachesAndSaysSo() throws Exception {
    assertThat(run(List.of("-XX:+EnableDynamicAgentLoading"), "points=sync").lines())
        .containsExactly(
            "heddle-world: attaching the agent to this JVM, which takes about a second; start Java"
                + " with -javaagent:"
                + JAR
                + " to avoid that",
            "options points=sync,packages=*",
            "slept 3600000000000");
  }

  @Test
  void install_whereAttachingIsForbidden_saysWhatToDo() throws Exception {
    assertThat(run(List.of("-XX:-EnableDynamicAgentLoading"), "points=sync"))
        .contains("IllegalStateException: the agent of heddle-world could not be attached")
        .contains("start Java with -javaagent:" + JAR + "=points=sync");
  }

  @Test
  void wrongOption_endsTheJvmWithALineThatSaysTheReason() throws Exception {
    assertThat(run(List.of("-javaagent:" + JAR + "=points=all")).lines())
        .containsExactly(
            "-javaagent:heddle-world.jar=points=all: points=all is none of points=none, points=sync"
                + " and points=memory");
    assertThat(run(List.of("-javaagent:" + JAR + "=points=memory")).lines()).hasSize(1);
  }

  @Test
  void notInstalled_aWorldSaysWhatToDo() throws Exception {
    assertThat(run(List.of()))
        .contains("IllegalStateException: the agent of heddle-world is not installed in this JVM");
  }

  @Test
  @Tag("sim-18")
  void otherHashCodes_areRefused() throws Exception {
    assertThat(
            run(List.of("-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2", "-javaagent:" + JAR)))
        .contains("computes identity hash codes in a way that a simulation cannot repeat")
        .doesNotContain("options");
  }

  @Test
  void install_again_sameOptionsOnly() {
    String options = WorldAgent.options();
    assertThatCode(() -> WorldAgent.install(options)).doesNotThrowAnyException();
    assertThatThrownBy(() -> WorldAgent.install("points=sync"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is installed with " + options)
        .hasMessageContaining("-javaagent:heddle-world.jar=points=sync");
  }

  @Test
  void noClass_couldNotBeRewritten() {
    assertThat(WorldAgent.problems()).isEmpty();
  }
}
