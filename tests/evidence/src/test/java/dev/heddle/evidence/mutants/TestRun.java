// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.mutants;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Runs tests of the modules that have mutants in a JVM apart, with or without a mutant's classes
/// in front.
///
/// A test that says nothing for too long hangs: its JVM is ended, and another goes on behind it.
final class TestRun implements AutoCloseable {
  /// What became of a test.
  enum Verdict {
    PASSED,
    FAILED,
    /// Or ended its JVM.
    HUNG;

    boolean isCatch() {
      return this != PASSED;
    }
  }

  /// For a JVM to start, and for what comes before the first test: also on a busy machine.
  private static final Duration BETWEEN_TESTS = Duration.ofSeconds(60);

  private static final String DONE = "@done ";
  private static final String ENDED = "@ended ";

  /// Folders whose classes tests and mutants know: of each module, then of its tests.
  private final List<Path> folders = new ArrayList<>();

  private final Map<String, String> packages = new HashMap<>(); // of test classes, by simple name
  private @Nullable Process worker;
  private BlockingQueue<String> said = new LinkedBlockingQueue<>();

  TestRun() throws IOException {
    classPath().filter(TestRun::isMutable).map(Path::of).forEach(folders::add);
    for (String module : Mutant.MODULES) {
      Path tests = Path.of(System.getProperty("heddle." + module + ".tests"));
      folders.add(tests);
      find(tests);
    }
  }

  private void find(Path tests) throws IOException {
    try (Stream<Path> found = Files.walk(tests)) {
      for (Path file : found.filter(f -> f.toString().endsWith("Test.class")).toList()) {
        String type = file.getFileName().toString().replace(".class", "");
        String room =
            tests.relativize(file.getParent()).toString().replace(File.separatorChar, '.');
        String other = packages.put(type, room);
        if (other != null) {
          throw new IllegalStateException(
              "two test classes are named %s, in %s and %s; mutants know them by that name only"
                  .formatted(type, other, room));
        }
      }
    }
  }

  private static Stream<String> classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator));
  }

  /// Classes that mutants change must not be the worker's own: each mutant brings other ones.
  private static boolean isMutable(String entry) {
    Path path = Path.of(entry);
    return Files.isDirectory(path)
        ? Files.exists(path.resolve("dev/heddle/Heddle.class"))
            || Files.exists(path.resolve("dev/heddle/netty/HeddleEventLoop.class"))
            || Files.exists(path.resolve("dev/heddle/process/ProcessRuntime.class"))
            || Files.exists(path.resolve("dev/heddle/context/ThreadLocalContext.class"))
        : path.getFileName().toString().matches("heddle-(core|netty|process|context)-[^/]*[.]jar");
  }

  /// Whether there is a test class of that name.
  boolean knows(TestName test) {
    return packages.containsKey(test.type());
  }

  /// Runs `wanted` and tells what became of each; `mutated` may be null. Tests that could not even
  /// begin, because something before them hangs, are left out.
  ///
  /// @param patience how long a test may take
  /// @param hangs after so many hangs the rest is left out, too
  Map<TestName, Verdict> run(
      @Nullable Path mutated, Collection<TestName> wanted, Duration patience, int hangs)
      throws IOException, InterruptedException {
    Map<TestName, Verdict> verdicts = new TreeMap<>();
    Set<TestName> left = new TreeSet<>(wanted);
    boolean goesOn = true;
    for (int hung = 0; goesOn && hung < hangs && !left.isEmpty(); hung++) {
      ask(mutated, left);
      boolean done = listen(verdicts, patience);
      goesOn = left.removeAll(verdicts.keySet());
      if (done) {
        // a class that cannot be loaded, or set up, fails all its tests
        left.forEach(test -> verdicts.put(test, Verdict.FAILED));
        goesOn = false;
      }
    }
    return verdicts;
  }

  /// @return whether all had their turn; if not, the JVM has been ended
  private boolean listen(Map<TestName, Verdict> verdicts, Duration patience)
      throws InterruptedException {
    TestName running = null;
    while (true) {
      Duration wait = running == null ? BETWEEN_TESTS : patience;
      String line = said.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
      if (line == null || line.equals(ENDED)) {
        if (running != null) {
          verdicts.put(running, Verdict.HUNG);
        }
        close();
        return false;
      }
      if (line.equals(DONE)) {
        return true;
      }
      TestName test = TestName.parse(line.substring(line.lastIndexOf('.') + 1));
      running = null;
      switch (line.substring(1, line.indexOf(' '))) {
        case "begin" -> running = test;
        case "ok" -> verdicts.putIfAbsent(test, Verdict.PASSED);
        case "skipped" -> {} // on one driver; another one gives the verdict
        default -> verdicts.put(test, Verdict.FAILED);
      }
    }
  }

  private void ask(@Nullable Path mutated, Set<TestName> left) throws IOException {
    if (worker == null || !worker.isAlive()) {
      start();
    }
    String path =
        Stream.concat(Stream.ofNullable(mutated), folders.stream())
            .map(folder -> folder + (Files.isDirectory(folder) ? File.separator : ""))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> names = left.stream().map(t -> packages.get(t.type()) + "." + t).toList();
    var in = worker.getOutputStream();
    in.write((path + "\n" + String.join(" ", names) + "\n").getBytes(StandardCharsets.UTF_8));
    in.flush();
  }

  private void start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String room : List.of("java.lang", "java.util.concurrent.locks", "jdk.internal.vm")) {
      command.addAll(List.of("--add-opens", "java.base/" + room + "=ALL-UNNAMED"));
    }
    command.add("--enable-native-access=ALL-UNNAMED"); // descriptors are watched by number natively
    // it lives for seconds: the first compiler is enough
    command.addAll(List.of("-ea", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx1g"));
    command.addAll(List.of("-Dheddle.reuse=on", "-Dheddle.root=" + Mutant.root()));
    String rest = String.join(File.pathSeparator, classPath().filter(e -> !isMutable(e)).toList());
    command.addAll(List.of("-cp", rest, TestWorker.class.getName()));
    Process started = new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    Thread.ofVirtual().start(() -> read(started.inputReader(StandardCharsets.UTF_8), lines));
    worker = started;
    said = lines;
  }

  private static void read(BufferedReader from, BlockingQueue<String> into) {
    try (from) {
      from.lines().filter(line -> line.startsWith("@")).forEach(into::add);
    } catch (IOException | UncheckedIOException _) {
      // safe: it was ended in the middle of a line
    }
    into.add(ENDED); // the JVM has, by itself or not
  }

  @Override
  public void close() {
    if (worker != null) {
      // a JVM that a hung test has started would outlive it
      worker.descendants().forEach(ProcessHandle::destroyForcibly);
      worker.destroyForcibly();
      worker = null;
    }
  }
}
