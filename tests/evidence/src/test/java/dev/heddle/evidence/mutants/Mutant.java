// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;

/// A fault that somebody could make, and the tests that fail when it is made.
///
/// Its file has three parts: what the fault is, in words; the change; the tests that catch it. The
/// change reads as a unified diff without line numbers: hunks below the path of their file, apart
/// by `@@`, without blank lines. A hunk is found by its text, whatever the indentation, and must be
/// found once.
///
/// ```
/// A coroutine that was handed the mutex and is cancelled before it runs keeps it (trap-1).
///
/// --- core/src/main/java/dev/heddle/scheduler/FairSemaphore.java
///      if (waiter.served) {
/// -      release();
///      } else if (!home.hasEnded()) {
///
/// caught by
/// MutexTest#waiter_handedTheMutexAndCancelledBeforeItRuns_handsItOn
/// MutexTest#waiter_handedTheMutexWhenItsTokenFires_handsItOn
/// ```
///
/// @param name the file's, without its ending
/// @param says what is wrong, one sentence
/// @param catchers the tests that must fail, in order
public record Mutant(String name, String says, List<Edit> edits, List<TestName> catchers) {
  /// The modules of which there are mutants; the tests of each stand for its own.
  public static final List<String> MODULES =
      List.of(
          "core",
          "netty",
          "process",
          "cluster",
          "cluster-ratis",
          "context",
          "metrics",
          "cli",
          "testkit/world",
          "testkit/test");

  private static final String ENDING = ".mutant";
  private static final String CAUGHT_BY = "caught by";

  /// One hunk.
  public record Edit(String file, List<String> lines) {
    private List<String> old() {
      return lines.stream()
          .filter(l -> !l.startsWith("+"))
          .map(l -> l.substring(1).strip())
          .toList();
    }
  }

  private static Path folder() {
    return root().resolve("tests/evidence/mutants");
  }

  static Path root() {
    return Path.of(System.getProperty("heddle.root"));
  }

  /// Every committed mutant, by name.
  public static List<Mutant> all() {
    try (Stream<Path> files = Files.list(folder())) {
      return files.filter(f -> f.toString().endsWith(ENDING)).sorted().map(Mutant::read).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Mutant read(Path file) {
    String name = file.getFileName().toString().replace(ENDING, "");
    List<String> words = new ArrayList<>();
    List<Edit> edits = new ArrayList<>();
    List<TestName> catchers = new ArrayList<>();
    String source = "";
    boolean afterwards = false;
    for (String line : linesOf(file)) {
      if (line.equals(CAUGHT_BY)) {
        afterwards = true;
      } else if (line.isEmpty()) {
        continue;
      } else if (afterwards) {
        catchers.add(TestName.parse(line));
      } else if (line.startsWith("--- ")) {
        source = line.substring(4);
        edits.add(new Edit(source, new ArrayList<>()));
      } else if (line.equals("@@")) {
        edits.add(new Edit(source, new ArrayList<>()));
      } else if (edits.isEmpty()) {
        words.add(line);
      } else {
        edits.getLast().lines.add(line);
      }
    }
    return new Mutant(name, String.join(" ", words), edits, catchers);
  }

  /// The sources it changes, as they are with the fault in them, by path.
  ///
  /// @throws IllegalStateException when a hunk is not found, or found twice
  Map<String, String> apply() {
    Map<String, List<String>> changed = new LinkedHashMap<>();
    for (Edit edit : edits) {
      List<String> lines =
          changed.computeIfAbsent(edit.file, f -> new ArrayList<>(linesOf(root().resolve(f))));
      apply(edit, lines);
    }
    Map<String, String> sources = new LinkedHashMap<>();
    changed.forEach((file, lines) -> sources.put(file, String.join("\n", lines) + "\n"));
    return sources;
  }

  private void apply(Edit edit, List<String> source) {
    List<String> old = edit.old();
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i + old.size() <= source.size(); i++) {
      if (isAt(i, old, source)) {
        found.add(i);
      }
    }
    if (old.isEmpty() || found.size() != 1) {
      throw new IllegalStateException(
          "tests/evidence/mutants/%s%s does not fit %s any more: found %d times, must be found once:\n%s"
              .formatted(name, ENDING, edit.file, found.size(), String.join("\n", old)));
    }
    int at = found.getFirst();
    for (String line : edit.lines) {
      switch (line.charAt(0)) {
        case '-' -> source.remove(at);
        case '+' -> source.add(at++, line.substring(1));
        default -> at++;
      }
    }
  }

  private static boolean isAt(int begin, List<String> wanted, List<String> source) {
    for (int i = 0; i < wanted.size(); i++) {
      if (!source.get(begin + i).strip().equals(wanted.get(i))) {
        return false;
      }
    }
    return true;
  }

  /// The module that it changes.
  String module() {
    String file = edits.getFirst().file;
    return MODULES.stream().filter(m -> file.startsWith(m + "/")).findFirst().orElseThrow();
  }

  /// Where the build has put the test classes of a module; its other classes lie beside them.
  static Path tests(String module) {
    String name = module.substring(module.indexOf('/') + 1);
    return Path.of(System.getProperty("heddle." + name + ".tests"));
  }

  /// Where the build has put the classes of a module.
  static Path classes(String module) {
    return tests(module).resolveSibling("classes");
  }

  /// Writes down which tests catch it.
  void commit(Collection<TestName> measured) {
    Path file = folder().resolve(name + ENDING);
    List<String> lines = new ArrayList<>(linesOf(file));
    int end = lines.indexOf(CAUGHT_BY);
    List<String> kept = new ArrayList<>(end < 0 ? lines : lines.subList(0, end));
    while (kept.getLast().isEmpty()) {
      kept.removeLast();
    }
    kept.add("");
    kept.add(CAUGHT_BY);
    new TreeSet<>(measured).forEach(test -> kept.add(test.toString()));
    try {
      Files.write(file, kept);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> linesOf(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
