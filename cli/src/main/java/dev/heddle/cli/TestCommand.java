// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `heddle test`: the project's whole default test run, or a part of it.
@Command(
    name = "test",
    description =
        "Builds with every gate and runs the tests; with a name or tag, only those, without the"
            + " gates.",
    mixinStandardHelpOptions = true)
final class TestCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "NAME",
      description = "A test class or method: TimerQueueTest, 'TimerQueueTest#equal*'.")
  private @Nullable String name;

  @Option(
      names = "--tag",
      paramLabel = "TAG",
      description = "Only tests with this tag, for example T8.")
  private @Nullable String tag;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "The seed of random tests, as a failure printed it.")
  private @Nullable Long seed;

  @Option(names = "--full", description = "Slow tests and outside projects too.")
  private boolean full;

  /// For picocli.
  TestCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    Home home = Home.find();
    if (home == null) {
      spec.commandLine().getErr().println(Home.missing("test"));
      return ExitCode.USAGE;
    }
    boolean selected = name != null || tag != null;
    Path results = home.state("test");
    Instant begin = Instant.now();
    int code = home.maven(arguments(selected, results));
    if (code == 0 && selected && !hasRun(results, begin)) {
      spec.commandLine()
          .getErr()
          .println("heddle: no test " + (name != null ? "named " + name : "tagged " + tag));
      return ExitCode.FAILURE;
    }
    return code == 0 ? ExitCode.OK : code >= 128 ? code : ExitCode.FAILURE;
  }

  private List<String> arguments(boolean selected, Path results) {
    var arguments = new ArrayList<String>();
    if (selected) {
      arguments.addAll(List.of("-Dgates=off", "-Dquick.root=" + results));
      arguments.addAll(
          List.of(
              "-Dsurefire.failIfNoSpecifiedTests=false",
              "-Dfailsafe.failIfNoSpecifiedTests=false"));
    } else {
      // modules that do not need each other run side by side: tests wait more than they compute
      arguments.addAll(List.of("-T", "2", "clean"));
    }
    if (name != null) {
      // Failsafe runs what ends in IT; each tool would run the other's tests when it is given their
      // name.
      boolean ofProcesses = name.replaceFirst("#.*", "").endsWith("IT");
      arguments.addAll(
          ofProcesses
              ? List.of("-Dtest=none", "-Dit.test=" + name)
              : List.of("-Dtest=" + name, "-DskipITs"));
    }
    if (tag != null) {
      arguments.add("-Dgroups=" + tag);
    }
    if (seed != null) {
      arguments.add("-Dheddle.seed=" + seed);
    }
    if (full || "full".equals(tag)) {
      arguments.add("-Dtests.excluded=none");
    }
    arguments.add("verify");
    return arguments;
  }

  private static boolean hasRun(Path results, Instant begin) throws IOException {
    if (!Files.isDirectory(results)) {
      return false;
    }
    try (Stream<Path> files = Files.walk(results)) {
      return files
          .filter(file -> file.getFileName().toString().matches("TEST-.*[.]xml"))
          .map(Path::toFile)
          .anyMatch(file -> file.lastModified() >= begin.toEpochMilli());
    }
  }
}
