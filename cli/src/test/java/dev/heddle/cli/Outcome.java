// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// How a process ended and what it wrote.
record Outcome(int code, String out, String err) {
  /// A hung process fails its test instead of the whole run.
  private static final long GUARD_SECONDS = 240;

  /// What stands on standard error, but for what a busy machine makes a loop say of any program.
  String errWithoutWarnings() {
    return err.replaceAll("(?m)^heddle: warning: .*\\n(?:  at .*\\n)*", "");
  }

  /// Runs a command to its end.
  static Outcome of(
      List<String> command, Path folder, Map<String, String> environment, String input)
      throws IOException, InterruptedException {
    return of(start(command, folder, environment, input));
  }

  // the second lowest bit of a mask in hexadecimal is that of signal 2
  private static final Pattern INTERRUPT_IGNORED = Pattern.compile("SigIgn:.*[2367abef]");

  /// Whether this process was started to ignore SIGINT, as a build in the background of a shell is.
  /// A child would inherit that, and no JVM handles a signal that it was started to ignore.
  private static boolean isInterruptIgnored() throws IOException {
    Path status = Path.of("/proc/self/status"); // there on Linux only
    return Files.exists(status)
        && Files.readAllLines(status).stream().anyMatch(INTERRUPT_IGNORED.asMatchPredicate());
  }

  static Started start(
      List<String> words, Path folder, Map<String, String> environment, String input)
      throws IOException {
    List<String> command = new ArrayList<>();
    if (isInterruptIgnored()) {
      command.addAll(List.of("env", "--default-signal=INT"));
    }
    command.addAll(words);
    Path files = Files.createTempDirectory("outcome");
    files.toFile().deleteOnExit(); // behind what is in it
    for (String name : List.of("in", "out", "err")) {
      files.resolve(name).toFile().deleteOnExit();
    }
    Path in = Files.writeString(files.resolve("in"), input);
    var builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectInput(in.toFile())
            .redirectOutput(files.resolve("out").toFile())
            .redirectError(files.resolve("err").toFile());
    // What the shell of the developer exports must not decide a test.
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.matches("HEDDLE_.*|JAVA_HOME|J\\w+_OPTIONS"));
    builder.environment().putAll(environment);
    return new Started(builder.start(), files);
  }

  /// Waits for the end.
  static Outcome of(Started started) throws IOException, InterruptedException {
    return of(started, GUARD_SECONDS);
  }

  /// Waits for the end of one that has more to do, for so many seconds.
  static Outcome of(Started started, long guardSeconds) throws IOException, InterruptedException {
    Process process = started.process();
    if (!process.waitFor(guardSeconds, TimeUnit.SECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
      throw new AssertionError(
          "still running after " + guardSeconds + " s: " + started.read("err"));
    }
    return new Outcome(process.exitValue(), started.read("out"), started.read("err"));
  }

  /// Whether a process could still do something. One whose parent has ended, and that nobody waits
  /// for, is a zombie for ever in a container.
  static boolean isRunning(ProcessHandle process) {
    return process.isAlive() && process.info().command().isPresent();
  }

  /// A process that runs.
  record Started(Process process, Path files) {
    String read(String name) {
      try {
        return Files.readString(files.resolve(name));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /// Waits until it wrote `text` to standard output.
    void awaitOutput(String text) throws InterruptedException {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(GUARD_SECONDS);
      while (!read("out").contains(text)) {
        if (System.nanoTime() > end || process.waitFor(10, TimeUnit.MILLISECONDS)) {
          throw new AssertionError("never wrote '" + text + "': " + read("out") + read("err"));
        }
      }
    }
  }
}
