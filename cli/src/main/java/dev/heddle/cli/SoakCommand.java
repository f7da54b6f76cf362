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
import picocli.CommandLine.Spec;

/// `heddle soak`: `bench/soak/Soak.java` in a JVM of its own.
@Command(
    name = "soak",
    description = "Kills clients and children at random for minutes, and looks at what is left.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class SoakCommand implements Callable<Integer> {
  /// Small, so that a leak shows in a run of minutes, and all there from the beginning, so that the
  /// resident memory moves with what is outside of it.
  private static final List<String> HEAP =
      List.of("-J-Xms512m", "-J-Xmx512m", "-J-XX:+AlwaysPreTouch");

  @Spec private CommandSpec spec = CommandSpec.create();

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
    if (minutes < 1 || minutes > 999) {
      throw new ParameterException(
          spec.commandLine(), "--minutes is from 1 to 999, not " + minutes);
    }
    Home home = Home.find();
    if (home == null) {
      spec.commandLine().getErr().println(Home.missing("soak"));
      return ExitCode.USAGE;
    }
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
