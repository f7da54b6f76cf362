// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.mutants;

import dev.heddle.evidence.conformance.TaggedTests;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Runs tests of the modules that have mutants in JVMs apart, with or without a mutant's classes in
/// front.
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

  /// A test class.
  private record Place(String module, String room) {}

  private final Map<String, Place> places = new HashMap<>(); // of test classes, by simple name
  private final Set<TestName> withAgent = TaggedTests.tagged("testkit/test", "agent");

  private @Nullable Process worker;
  private @Nullable JvmKind kind; // of the worker
  private @Nullable Path loaded; // the mutant's classes that the worker cannot get rid of
  private BlockingQueue<String> said = new LinkedBlockingQueue<>();

  TestRun() throws IOException {
    for (String module : Mutant.MODULES) {
      find(module, Mutant.tests(module));
    }
  }

  private void find(String module, Path tests) throws IOException {
    try (Stream<Path> found = Files.walk(tests)) {
      for (Path file : found.filter(f -> f.toString().endsWith("Test.class")).toList()) {
        String type = file.getFileName().toString().replace(".class", "");
        String room =
            tests.relativize(file.getParent()).toString().replace(File.separatorChar, '.');
        Place other = places.putIfAbsent(type, new Place(module, room));
        // else a class that two modules run, as ClusterSoakTest: here as the first one runs it
        if (other != null && !other.room.equals(room)) {
          throw new IllegalStateException(
              "two test classes are named %s, in %s and %s; mutants know them by that name only"
                  .formatted(type, other.room, room));
        }
      }
    }
  }

  /// Whether there is a test class of that name.
  boolean knows(TestName test) {
    return places.containsKey(test.type());
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
    for (JvmKind its : JvmKind.values()) {
      Set<TestName> tests = new TreeSet<>(wanted);
      tests.removeIf(test -> kind(test) != its);
      if (!tests.isEmpty()) {
        prepare(its, mutated);
        verdicts.putAll(runHere(mutated, tests, patience, hangs));
      }
    }
    return verdicts;
  }

  private JvmKind kind(TestName test) {
    Place place = places.get(test.type());
    return place == null ? JvmKind.PLAIN : JvmKind.of(place.module, withAgent.contains(test));
  }

  /// Ends the worker where it is of another kind, or has another mutant's classes for good.
  private void prepare(JvmKind next, @Nullable Path mutated) {
    if (kind != next || (!next.loadsAnew() && !Objects.equals(loaded, mutated))) {
      close();
    }
    kind = next;
    loaded = mutated;
  }

  private Map<TestName, Verdict> runHere(
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
    JvmKind here = Objects.requireNonNull(kind);
    if (worker == null || !worker.isAlive()) {
      start(here.command(mutated));
    }
    String path = here.pathOfEachRun(mutated);
    List<String> names = left.stream().map(t -> places.get(t.type()).room + "." + t).toList();
    var in = worker.getOutputStream();
    in.write((path + "\n" + String.join(" ", names) + "\n").getBytes(StandardCharsets.UTF_8));
    in.flush();
  }

  private void start(List<String> command) throws IOException {
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
