// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `heddle bench`: the module `bench`, built when needed and run in a JVM of its own.
@Command(
    name = "bench",
    description = "Benchmarks Heddle against other runtimes.",
    mixinStandardHelpOptions = true,
    footer = {"", "`heddle bench --list` names the shapes; the arguments are the bench's own."})
final class BenchCommand implements Callable<Integer> {
  private static final String MAIN = "dev.heddle.bench.BenchMain";
  private static final String AGAINST = "--against";
  private static final String AGAINST_CLASS_PATH = "--against-class-path";
  private static final List<String> SOURCES =
      List.of(
          "pom.xml",
          "bench/pom.xml",
          "bench/src/main",
          "core/src/main",
          "netty/src/main",
          "process/src/main",
          "cluster/src/main",
          "cluster-ratis/src/main",
          "examples/HttpHello.java");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..*",
      paramLabel = "ARGS",
      description =
          "--list, --quick, --json FILE, --report, --against REV, --starts N,"
              + " and names of shapes.")
  private List<String> arguments = new ArrayList<>();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Home home = Home.find();
    if (home == null) {
      spec.commandLine().getErr().println(Home.missing("bench"));
      return ExitCode.USAGE;
    }
    Path built = home.state("build");
    int code = isStale(home, built) ? build(home, built) : ExitCode.OK;
    if (code == ExitCode.OK) {
      code = buildOther(home);
    }
    return code == ExitCode.OK ? measure(home, built) : code;
  }

  /// Builds the commit that `--against` names, if there is one, and passes its class path on.
  private int buildOther(Home home) throws IOException, InterruptedException {
    int option = arguments.indexOf(AGAINST);
    if (option < 0 || option + 1 == arguments.size()) {
      return ExitCode.OK; // without a commit: the bench complains
    }
    String revision = arguments.get(option + 1);
    OtherCommit other = OtherCommit.find(home, revision);
    if (other == null) {
      spec.commandLine().getErr().println("heddle: git knows no commit '" + revision + "'");
      return ExitCode.USAGE;
    }
    int code = other.checkOut();
    Path built = other.tree().state("build");
    if (code == ExitCode.OK && !Files.exists(mark(built))) {
      spec.commandLine().getErr().println("heddle: building " + other.shortHash() + " ...");
      code = build(other.tree(), built);
    }
    arguments = withOther(arguments, other.shortHash(), classPath(built));
    return code;
  }

  /// The bench's arguments with the commit's short hash, and with its class path beside it.
  static List<String> withOther(List<String> arguments, String hash, String classPath) {
    var all = new ArrayList<>(arguments);
    int option = all.indexOf(AGAINST);
    all.set(option + 1, hash);
    all.addAll(option, List.of(AGAINST_CLASS_PATH, classPath));
    return all;
  }

  private static String classPath(Path built) {
    Path bench = built.resolve("heddle-bench");
    return bench.resolve("classes") + File.pathSeparator + bench.resolve("lib") + "/*";
  }

  private int build(Home home, Path built) throws IOException, InterruptedException {
    spec.commandLine().getErr().println("heddle: building the bench ...");
    var arguments = List.of("-q", "-Dgates=off", "-Dmaven.test.skip=true", "-Dquick.root=" + built);
    var goal = List.of("-pl", "bench", "-am", "package");
    Instant begin = Instant.now();
    int code = home.maven(Stream.concat(arguments.stream(), goal.stream()).toList());
    if (code == ExitCode.OK) {
      Path mark = Files.writeString(mark(built), "");
      Files.setLastModifiedTime(mark, FileTime.from(begin));
    }
    return code;
  }

  private static Path mark(Path built) {
    return built.resolve("heddle-bench").resolve("built");
  }

  private static boolean isStale(Home home, Path built) throws IOException {
    if (!Files.exists(mark(built))) {
      return true;
    }
    FileTime time = Files.getLastModifiedTime(mark(built));
    for (String source : SOURCES) {
      if (isNewer(home.root().resolve(source), time)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isNewer(Path source, FileTime time) throws IOException {
    try (Stream<Path> files = Files.walk(source)) {
      return files.anyMatch(file -> file.toFile().lastModified() > time.toMillis());
    }
  }

  /// The bench starts its contenders itself, each with its own flags; ours come from the launcher.
  private int measure(Home home, Path built) throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--add-opens", "java.base/java.lang=ALL-UNNAMED"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.add("-cp");
    command.add(classPath(built));
    command.add(MAIN);
    command.addAll(arguments);
    String flags = Optional.ofNullable(System.getenv("HEDDLE_RUN_FLAGS")).orElse("");
    return home.run(command, Map.of("HEDDLE_RUN_FLAGS", flags));
  }
}
