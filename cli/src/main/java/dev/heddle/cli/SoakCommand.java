// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `heddle soak`: `bench/soak/Soak.java` in a JVM of its own, or the stress tests of processes for
/// as long.
@Command(
    name = "soak",
    description =
        "Kills clients and children, or processes of the runtime, at random for minutes, compares"
            + " every byte that comes back, and looks at what is left.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class SoakCommand implements Callable<Integer> {
  /// Small, so that a leak shows in a run of minutes, and all there from the beginning, so that the
  /// resident memory moves with what is outside of it.
  private static final List<String> HEAP =
      List.of("-J-Xms512m", "-J-Xmx512m", "-J-XX:+AlwaysPreTouch");

  private static final int STRESS_TESTS = 3; // among which the time is shared

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "WHAT",
      defaultValue = "loop",
      description = "loop or processes; ${DEFAULT-VALUE} when not given.")
  private String subject = "loop";

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long; ${DEFAULT-VALUE} when not given.")
  private int minutes;

  @Option(
      names = "--driver",
      paramLabel = "NAME",
      defaultValue = "auto",
      description = "The loop's driver; ${DEFAULT-VALUE} when not given.")
  private String driver = "auto";

  /// For picocli.
  SoakCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!List.of("loop", "processes").contains(subject)) {
      throw new ParameterException(
          spec.commandLine(), "loop or processes can be soaked, not '" + subject + "'");
    }
    if (minutes < 1 || minutes > 999) {
      throw new ParameterException(
          spec.commandLine(), "--minutes is from 1 to 999, not " + minutes);
    }
    Home home = Home.find();
    if (home == null) {
      spec.commandLine().getErr().println(Home.missing("soak"));
      return ExitCode.USAGE;
    }
    return subject.equals("loop") ? soakLoop(home) : stressProcesses(home);
  }

  private int stressProcesses(Home home) throws IOException, InterruptedException {
    int code =
        home.maven(
            List.of(
                "-Dgates=off",
                "-Dquick.root=" + home.state("soak"),
                "-pl",
                "core,process",
                "-Dtest=StressTest",
                "-Dsurefire.failIfNoSpecifiedTests=false",
                "-DskipITs",
                "-Dheddle.stress.seconds=" + minutes * 60 / STRESS_TESTS,
                "verify"));
    return code == 0 ? ExitCode.OK : code >= 128 ? code : ExitCode.FAILURE;
  }

  private int soakLoop(Home home) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(home.root().resolve("heddle").toString());
    command.add("run");
    command.addAll(HEAP);
    command.add("-J-Dheddle.driver=" + driver);
    command.add(home.root().resolve("bench/soak/Soak.java").toString());
    command.addAll(List.of("--minutes", String.valueOf(minutes)));
    return home.run(command, Map.of());
  }
}
