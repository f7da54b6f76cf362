// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// Ends the JVMs of tests that stand still, and keeps where they stood.
///
/// A test that waits for ever gives no report, and a limit of JUnit's does not help where the test
/// answers no interrupt. Whoever waited for the run would learn only that it was cut off. So when
/// tests run and no class of them has ended for a long time, the stacks of their JVMs go into the
/// log, those of tests into the result, and the JVMs are ended. Surefire then names the classes and
/// stops the module; other modules go on.
///
/// **Thread** one.
final class Standstill {
  /// How the command line of a JVM with tests looks: Surefire and Failsafe start a jar, and for a
  /// named module a file of arguments.
  private static final Pattern JVM_OF_TESTS = Pattern.compile("surefire(booter|args)");

  private static final Pattern TEST = Pattern.compile("\\tat .*\\w(Test|IT)[.$].*");
  private static final Duration FOR_STACKS = Duration.ofSeconds(30);
  private static final int FRAMES = 14;
  private static final int THREADS = 3;

  private final Duration patience;
  private final Path log;
  private final List<String> findings = new ArrayList<>();
  private int ended = -1;
  private long since;

  /// @param patience how long no test class may end
  /// @param log the file that gets all stacks
  Standstill(Duration patience, Path log) {
    this.patience = patience;
    this.log = log;
  }

  /// Looks whether tests stand still.
  ///
  /// @param classes how many test classes have ended by now
  /// @param testing whether a module runs tests; builds may take as long as they like
  /// @param maven whose descendants the JVMs are
  /// @param now by the clock of [System#nanoTime()]
  void look(int classes, boolean testing, ProcessHandle maven, long now)
      throws IOException, InterruptedException {
    if (classes != ended || !testing) {
      ended = classes;
      since = now;
    } else if (now - since >= patience.toNanos()) {
      for (ProcessHandle jvm : jvmsOfTests(maven)) {
        keep(jvm.pid(), stacks(jvm.pid()));
        end(jvm);
      }
      since = now;
    }
  }

  /// Where they stood, in lines for the result; empty when none did.
  List<String> findings() {
    return findings;
  }

  private static List<ProcessHandle> jvmsOfTests(ProcessHandle maven) {
    return maven
        .descendants()
        .filter(each -> each.info().command().orElse("").endsWith("java"))
        .filter(each -> JVM_OF_TESTS.matcher(each.info().commandLine().orElse("")).find())
        .toList();
  }

  private static String stacks(long pid) throws IOException, InterruptedException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    File answer = File.createTempFile("heddle-stacks", ".txt");
    try {
      Process process =
          new ProcessBuilder(jcmd.toString(), Long.toString(pid), "Thread.print")
              .redirectErrorStream(true)
              .redirectOutput(answer)
              .start();
      process.getOutputStream().close();
      if (!process.waitFor(FOR_STACKS.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor();
        return "it gave no stacks within " + FOR_STACKS.toSeconds() + " s\n";
      }
      return Files.readString(answer.toPath(), StandardCharsets.UTF_8);
    } finally {
      Files.delete(answer.toPath());
    }
  }

  private void keep(long pid, String stacks) throws IOException {
    String title =
        "no test class has ended for %d minutes; the JVM of tests %d was ended"
            .formatted(patience.toMinutes(), pid);
    Files.writeString(
        log,
        "[ERROR] " + title + ". Its stacks:\n" + stacks,
        StandardCharsets.UTF_8,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    findings.add(title);
    List<List<String>> threads = threads(stacks);
    List<List<String>> ofTests =
        threads.stream().filter(each -> each.stream().anyMatch(TEST.asMatchPredicate())).toList();
    List<List<String>> shown = ofTests.isEmpty() ? threads : ofTests;
    shown.stream()
        .limit(THREADS)
        .forEach(each -> each.stream().limit(FRAMES).forEach(this::indent));
  }

  private void indent(String line) {
    findings.add("    " + line.replace("\t", "  "));
  }

  /// The paragraphs of the text: each thread has one.
  private static List<List<String>> threads(String stacks) {
    var threads = new ArrayList<List<String>>();
    for (String paragraph : stacks.split("\n\\s*\n")) {
      threads.add(paragraph.lines().toList());
    }
    return threads;
  }

  /// Ends it and what it has started: a child that stayed would keep its output open, and Surefire
  /// would wait for the end of that.
  private static void end(ProcessHandle jvm) {
    List<ProcessHandle> children = jvm.descendants().toList();
    jvm.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
  }
}
