// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The house plan of the module, checked against the imports: an import of a whole package is
/// refused elsewhere.
class ProcessRoomsTest {
  private static final Path HOUSE =
      Path.of(System.getProperty("heddle.root"), "process/src/main/java/dev/heddle/process");

  /// Room to the rooms it uses. The front door uses those that it is made of; every room uses the
  /// values and interfaces at the front door.
  private static final Map<String, Set<String>> ARROWS =
      Map.ofEntries(
          entry(
              "",
              Set.of(
                  "body",
                  "dispatch",
                  "event",
                  "host",
                  "live",
                  "observe",
                  "relay",
                  "scheduler",
                  "timer")),
          entry(
              "host",
              Set.of(
                  "body",
                  "dispatch",
                  "event",
                  "live",
                  "mailbox",
                  "observe",
                  "relay",
                  "scheduler",
                  "timer",
                  "topology")),
          entry("live", Set.of("body", "dispatch", "mailbox", "relay", "scheduler", "topology")),
          entry("mailbox", Set.of("body", "scheduler", "topology")),
          entry("behavior", Set.of("event")),
          entry("event", Set.of()),
          entry("supervisor", Set.of("dispatch")),
          entry("pool", Set.of("dispatch")),
          entry("dispatch", Set.of("timer")),
          entry("relay", Set.of()),
          entry("topology", Set.of()),
          entry("scheduler", Set.of()),
          entry("body", Set.of("scheduler")),
          entry("observe", Set.of()),
          entry("timer", Set.of("scheduler")));

  /// Rooms that use the loop, and which rooms of it; all may use its front door.
  private static final Map<String, Set<String>> TO_THE_LOOP =
      Map.of(
          "",
          // what a command failed with names the line of its caller; programs; a lock that parks
          // no thread
          Set.of("failure", "os", "scheduler"),
          "dispatch",
          Set.of("coroutine", "io", "os", "scheduler"), // and that lock
          "body",
          Set.of("scheduler.context"),
          "mailbox",
          Set.of("scheduler"), // what a stack has room for, and that lock
          "live",
          Set.of("scheduler"), // what a stack has room for
          "host",
          Set.of("scheduler"), // the same, and that lock
          "topology",
          Set.of("scheduler"), // that lock
          "scheduler",
          Set.of(
              "observe.attach",
              "scheduler",
              "scheduler.context"), // observers, and what a thread was
          "timer",
          Set.of("scheduler"), // what a stack has room for
          "observe",
          Set.of("observe", "observe.attach", "observe.beside"));

  private static final Pattern OURS =
      Pattern.compile("(?m)^import (?:static )?dev\\.heddle\\.process\\.([a-z]+)\\.");
  private static final Pattern THE_LOOPS =
      Pattern.compile("(?m)^import (?:static )?dev\\.heddle\\.(?!process\\b)([a-z.]+)\\.[A-Z]");

  private static Map<String, Set<String>> arrows(Pattern imports) throws IOException {
    Map<String, Set<String>> arrows = new TreeMap<>();
    for (Path file : sources()) {
      String room = HOUSE.relativize(file.getParent()).toString();
      Set<String> uses = arrows.computeIfAbsent(room, _ -> new TreeSet<>());
      imports.matcher(Files.readString(file)).results().forEach(m -> uses.add(m.group(1)));
      if (imports == OURS) { // the loop has rooms of the same names
        uses.remove(room);
      }
    }
    return arrows;
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(HOUSE)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }

  @Test
  void arrows_betweenRooms_areThoseOfThePlan() throws IOException {
    assertThat(arrows(OURS)).isEqualTo(ARROWS);
  }

  @Test
  void arrows_toTheLoop_areThoseOfThePlan() throws IOException {
    Map<String, Set<String>> uses = arrows(THE_LOOPS);
    uses.values().removeIf(Set::isEmpty);
    assertThat(uses).isEqualTo(TO_THE_LOOP);
  }

  /// So a room can be read without those above it.
  @Test
  void rooms_behindTheFrontDoor_formNoCircle() {
    Map<String, Set<String>> left = new TreeMap<>(ARROWS);
    while (left.entrySet()
        .removeIf(room -> left.keySet().stream().noneMatch(room.getValue()::contains))) {
      // a room that uses none of those left is below them all
    }
    assertThat(left).isEmpty();
  }

  @Test
  void sources_importTypesByName() throws IOException {
    for (Path file : sources()) {
      assertThat(Files.readString(file)).as(file.toString()).doesNotContain(".*;");
    }
  }
}
