// SPDX-License-Identifier: Apache-2.0

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// An example in a JVM of its own, as `./heddle run` starts it.
final class ExampleProcess implements AutoCloseable {
  private static final long GUARD_SECONDS = 240; // only a hang takes so long
  private static final Pattern WARNING =
      Pattern.compile("(?m)^heddle: warning: .*\\n(?:  at .*\\n)*");

  // the second lowest bit of a mask in hexadecimal is that of signal 2
  private static final Pattern INTERRUPT_IGNORED = Pattern.compile("SigIgn:.*[2367abef]");

  private final Process process;
  private final Thread reader;
  private final LinkedBlockingQueue<String> arriving = new LinkedBlockingQueue<>();
  private final List<String> lines = new ArrayList<>();

  private ExampleProcess(Process process) {
    this.process = process;
    this.reader = Thread.ofVirtual().start(this::read);
  }

  static Path root() {
    return Path.of(System.getProperty("heddle.root"));
  }

  /// Starts `examples/NAME.java` with arguments.
  static ExampleProcess start(String name, String... args) throws IOException {
    return startFile(root().resolve("examples/" + name + ".java"), args);
  }

  /// Starts `examples/NAME.java` with jars that it needs.
  static ExampleProcess startWithClassPath(String classPath, String name) throws IOException {
    Path file = root().resolve("examples/" + name + ".java");
    return startFile(List.of(), List.of(), List.of("-cp", classPath), file);
  }

  /// Starts any source file with arguments.
  static ExampleProcess startFile(Path file, String... args) throws IOException {
    return startFile(List.of(), file, args);
  }

  /// The same with options of the JVM.
  static ExampleProcess startFile(List<String> options, Path file, String... args)
      throws IOException {
    return startFile(List.of(), options, List.of(), file, args);
  }

  /// Starts `examples/NAME.java` with an option of the JVM, in a process that may have so many
  /// descriptors.
  static ExampleProcess startWithOpenFiles(int limit, String option, String name)
      throws IOException {
    String shell = "ulimit -n " + limit + " && exec \"$@\"";
    Path file = root().resolve("examples/" + name + ".java");
    return startFile(List.of("sh", "-c", shell, "sh"), List.of(option), List.of(), file);
  }

  private static ExampleProcess startFile(
      List<String> before,
      List<String> options,
      List<String> optionsOfRun,
      Path file,
      String... args)
      throws IOException {
    var command = new ArrayList<String>(before);
    if (isInterruptIgnored()) {
      command.addAll(List.of("env", "--default-signal=INT"));
    }
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // a slow machine makes each coroutine hold its loop, and the warning comes amid the output;
    // a test of the warnings turns them on again
    command.add("-Dheddle.watchdog=off");
    command.addAll(options);
    command.addAll(List.of("-Xlog:aot=off", "-Xlog:cds=off", "-XX:AOTCache=" + Cache.FILE));
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-jar", System.getProperty("heddle.jar")));
    command.add("run");
    command.addAll(optionsOfRun);
    command.add(file.toString());
    command.addAll(List.of(args));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("HEDDLE_HOME", root().toString());
    builder.environment().remove("JDK_JAVA_OPTIONS");
    return new ExampleProcess(builder.start());
  }

  /// What `heddle cluster status` says of this process.
  String clusterStatus() throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String jar = System.getProperty("heddle.jar");
    String pid = String.valueOf(process.pid());
    var command = List.of(java, "-XX:TieredStopAtLevel=1", "-jar", jar, "cluster", "status", pid);
    try (var status =
        new ExampleProcess(new ProcessBuilder(command).redirectErrorStream(true).start())) {
      status.awaitExit();
      return status.text();
    }
  }

  /// The cache of loaded classes that the launcher starts programs from: it halves their start. A
  /// JVM that cannot use it, for other options, starts without. Each JVM of tests makes its own,
  /// for two would write into one file.
  private static final class Cache {
    static final Path FILE = train(Path.of(System.getProperty("heddle.jar")));

    private static Path train(Path jar) {
      String fork = System.getProperty("heddle.fork");
      Path file = jar.resolveSibling("examples-" + fork + ".aot");
      var command = new ArrayList<String>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("-XX:AOTCacheOutput=" + file, "-XX:TieredStopAtLevel=1"));
      command.addAll(List.of("-jar", jar.toString(), "run"));
      command.add(root().resolve("cli/src/main/aot/Training.java").toString());
      try {
        putVotersBeside(jar, fork);
        var training = new ProcessBuilder(command).redirectErrorStream(true);
        training.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        training.environment().remove("JDK_JAVA_OPTIONS");
        training.start().waitFor();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return file;
    }

    /// As the launcher does: the manifest of the runnable jar names the jar of voters beside it. A
    /// cache of classes belongs to both, and to their times. Each JVM of tests puts the same jar
    /// there, in one step, since programs of the other JVM may be starting.
    private static void putVotersBeside(Path jar, String fork) throws IOException {
      Path voters = Path.of(System.getProperty("heddle.voters.jar"));
      Path copy = jar.resolveSibling("voters-" + fork + ".jar");
      Files.copy(voters, copy, REPLACE_EXISTING, COPY_ATTRIBUTES);
      Files.move(copy, jar.resolveSibling("heddle-cluster-ratis.jar"), ATOMIC_MOVE);
    }
  }

  /// Whether this process was started to ignore SIGINT, as a build in the background of a shell is.
  /// A child would inherit that, and no JVM handles a signal that it was started to ignore.
  private static boolean isInterruptIgnored() throws IOException {
    Path status = Path.of("/proc/self/status"); // there on Linux only
    return Files.exists(status)
        && Files.readAllLines(status).stream().anyMatch(INTERRUPT_IGNORED.asMatchPredicate());
  }

  private void read() {
    try (BufferedReader output = process.inputReader()) {
      output.lines().forEach(arriving::add);
    } catch (IOException | UncheckedIOException _) {
      // the process was killed: nothing more to read
    }
  }

  /// The first line, from now on, in which `pattern` is found.
  MatchResult awaitLine(String pattern) throws InterruptedException {
    while (true) {
      String line = arriving.poll(GUARD_SECONDS, TimeUnit.SECONDS);
      if (line == null) {
        throw new AssertionError("no line with " + pattern + " came in time; output:\n" + text());
      }
      lines.add(line);
      Matcher matcher = Pattern.compile(pattern).matcher(line);
      if (matcher.find()) {
        return matcher.toMatchResult();
      }
    }
  }

  /// Types a line at its standard input.
  void type(String line) throws IOException {
    process.outputWriter().append(line).append('\n').flush();
  }

  void signal(String name) throws IOException, InterruptedException {
    // the shell's own kill: a system may come without the program
    new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start().waitFor();
  }

  /// Waits for the end.
  ///
  /// @return the exit code
  int awaitExit() throws InterruptedException {
    if (!process.waitFor(GUARD_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("did not end in time; output:\n" + text());
    }
    return process.exitValue();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /// Everything the program has printed; after [#awaitExit()] everything there is. Without what a
  /// busy machine makes the loop say of any program.
  String output() throws InterruptedException {
    return WARNING.matcher(text() + "\n").replaceAll("").stripTrailing();
  }

  /// Everything that has come so far, the loop's own warnings with it; after [#awaitExit()]
  /// everything there is.
  String text() throws InterruptedException {
    for (@Nullable String line = poll(); line != null; line = poll()) {
      lines.add(line);
    }
    return String.join("\n", lines);
  }

  private @Nullable String poll() throws InterruptedException {
    if (!process.isAlive() && !reader.join(Duration.ofSeconds(GUARD_SECONDS))) {
      throw new AssertionError("the program has ended, but somebody keeps its output open");
    }
    return arriving.poll();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
