// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Which files of a room use each other, found by the names of their types. A file may be in a
/// cycle with one other, which is its own pair; larger cycles are written down here, and may only
/// shrink.
class FileCyclesTest {
  private static final Path HOUSE =
      Path.of(System.getProperty("heddle.root"), "process/src/main/java/dev/heddle/process");

  /// Room to the number of files in its largest cycle.
  private static final Map<String, Integer> KNOWN =
      Map.of(
          // types of the API that lead to each other: a context to its runtime, and back
          "", 13,
          // workers, their tasks and what the tasks send; the scheduler that makes them
          "scheduler", 12);

  private static final Pattern NO_CODE =
      Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*|\"(?:\\\\.|[^\"\\\\\\n])*\"|(?m)^import [^\\n]*");

  /// Of a sealed class, those below it: they stand beside it on purpose.
  private static final Pattern PERMITS = Pattern.compile("\\bpermits [^{]*");

  private static Map<String, Set<String>> uses(Path room) throws IOException {
    Map<String, String> code = new TreeMap<>();
    try (Stream<Path> files = Files.list(room)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
        String text = NO_CODE.matcher(Files.readString(file)).replaceAll("");
        code.put(
            file.getFileName().toString().replace(".java", ""),
            PERMITS.matcher(text).replaceAll(""));
      }
    }
    Map<String, Set<String>> uses = new TreeMap<>();
    code.forEach((name, text) -> {
      Set<String> others = new TreeSet<>(code.keySet());
      others.removeIf(other ->
          other.equals(name)
              || !Pattern.compile("(?<![\\w.])" + other + "\\b").matcher(text).find());
      uses.put(name, others);
    });
    return uses;
  }

  /// Those that a file leads to, over others too.
  private static Set<String> reachable(String from, Map<String, Set<String>> uses) {
    Set<String> seen = new HashSet<>();
    List<String> next = List.copyOf(uses.get(from));
    while (!next.isEmpty()) {
      next = next.stream().filter(seen::add).flatMap(file -> uses.get(file).stream()).toList();
    }
    return seen;
  }

  private static int largestCycle(Map<String, Set<String>> uses) {
    Map<String, Set<String>> reachable = new HashMap<>();
    uses.keySet().forEach(file -> reachable.put(file, reachable(file, uses)));
    return reachable.keySet().stream()
        .mapToInt(file ->
            (int)
                reachable.get(file).stream()
                    .filter(other -> reachable.get(other).contains(file))
                    .count())
        .max()
        .orElse(0);
  }

  @Test
  void filesOfARoom_formNoLargerCycle_thanIsWrittenDown() throws IOException {
    Map<String, Integer> found = new TreeMap<>();
    try (Stream<Path> rooms = Files.walk(HOUSE)) {
      for (Path room : rooms.filter(Files::isDirectory).toList()) {
        int cycle = largestCycle(uses(room));
        if (cycle > 2) {
          found.put(HOUSE.relativize(room).toString(), cycle);
        }
      }
    }
    assertThat(found).isEqualTo(new TreeMap<>(KNOWN));
  }
}
