// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `heddle bench`: the module `bench`, built when needed and run in a JVM of its own.
@Command(
    name = "bench",
    description = "Measures Heddle beside its contenders.",
    mixinStandardHelpOptions = true,
    footer = {"", "`heddle bench --list` names the shapes; the arguments are the bench's own."})
final class BenchCommand implements Callable<Integer> {
  private static final String MAIN = "dev.heddle.bench.BenchMain";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..*",
      paramLabel = "ARGS",
      description = "--list, --quick, --json FILE, --report, and names of shapes.")
  private List<String> arguments = new ArrayList<>();

  /// For picocli.
  BenchCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    Home home = Home.find();
    if (home == null) {
      spec.commandLine().getErr().println(Home.missing("bench"));
      return ExitCode.USAGE;
    }
    Path built = home.state("build");
    int code =
        home.maven(
            List.of(
                "-q",
                "-Dgates=off",
                "-DskipTests",
                "-Dquick.root=" + built,
                "-pl",
                "bench",
                "-am",
                "package"));
    return code == 0 ? measure(home, built.resolve("heddle-bench")) : code;
  }

  /// The bench starts its contenders itself, each with its own flags; ours come from the launcher.
  private int measure(Home home, Path built) throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--add-opens",
            "java.base/java.lang=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow"));
    command.addAll(
        List.of(
            "-cp", built.resolve("classes") + File.pathSeparator + built.resolve("lib") + "/*"));
    command.add(MAIN);
    command.addAll(arguments);
    String flags = Optional.ofNullable(System.getenv("HEDDLE_RUN_FLAGS")).orElse("");
    return home.run(command, Map.of("HEDDLE_RUN_FLAGS", flags));
  }
}
