// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.rooms;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Inside a room, a file stands in a circle with at most one other file: two that are one protocol,
/// a pair. Three files of which each leads to each other can only be read, tested and changed as
/// one.
class KnotsTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));
  private static final Path ACROSS = ROOT.resolve("config/knots-across-packages.txt");
  private static final List<String> MODULES =
      List.of("core", "netty", "process", "cluster", "context", "metrics", "testkit/test", "cli");

  /// The knots that there still are: room to the sizes of its knots, the largest first. They only
  /// shrink. The test fails when one is larger than its entry, and also when it is smaller: then
  /// the entry is to be lowered, or deleted when only pairs are left.
  private static final Map<String, List<Integer>> KNOWN =
      Map.ofEntries(
          // shapes of messages contain shapes; what a packet is made of, and its limits
          entry("dev.heddle.cluster.wire", List.of(15, 6)),
          // a process, what was observed of it, and what asks it again
          entry("dev.heddle.cli.attach", List.of(3)),
          // a shard, its entities, and the owner of both
          entry("dev.heddle.cluster.shard", List.of(3)),
          // a scope, its parts, its members, and who watches them
          entry("dev.heddle.coroutine.tree", List.of(11, 3)),
          entry("dev.heddle.event", List.of(3)), // an event and its callback name each other
          entry("dev.heddle.process", List.of(11))); // the front door: types that name each other

  @Test
  void files_ofEachRoom_formPairsAtMost() throws IOException {
    Map<String, List<Set<String>>> found = knots();
    Map<String, List<Integer>> sizes = new TreeMap<>();
    List<String> members = new ArrayList<>();
    found.forEach((room, knots) -> {
      sizes.put(room, knots.stream().map(Set::size).sorted(Collections.reverseOrder()).toList());
      members.add(room + " " + knots);
    });
    assertThat(sizes)
        .as(
            "knots of files inside rooms. Larger than the table: turn one of the arrows, by moving"
                + " what both need into a file below, or by handing over a value instead of the"
                + " object. Smaller: lower the entry. The files:%n%s",
            String.join("\n", members))
        .isEqualTo(new TreeMap<>(KNOWN));
  }

  /// The circles that the packages of a module form together, by their files. A knot of a package
  /// is not untied by moving half of its files next door.
  ///
  /// `config/knots-across-packages.txt` has those that there still are: module, number of files,
  /// packages. They only shrink. `-Dknots.update=true` writes the file anew; read its diff.
  @Test
  void files_ofDifferentPackages_formNoMoreCirclesThanListed() throws IOException {
    List<String> found = new ArrayList<>();
    List<String> members = new ArrayList<>();
    for (String module : MODULES) {
      for (Set<String> knot :
          ModuleSources.knotsAcrossPackages(ROOT.resolve(module).resolve("src/main/java"))) {
        String packages = String.join(" ", ModuleSources.packagesOf(knot));
        found.add("%s %d %s".formatted(module, knot.size(), packages));
        members.add(module + " " + knot);
      }
    }
    Collections.sort(found);
    if (Boolean.getBoolean("knots.update")) {
      Files.write(ACROSS, found);
    }
    assertThat(found)
        .as(
            "circles of files in different packages, and those that %s allows. More or larger: turn"
                + " one of the arrows. Smaller: run this test with -Dknots.update=true. The"
                + " files:%n%s",
            ACROSS, String.join("\n", members))
        .isEqualTo(Files.readAllLines(ACROSS));
  }

  private static Map<String, List<Set<String>>> knots() throws IOException {
    Map<String, List<Set<String>>> found = new TreeMap<>();
    for (String module : MODULES) {
      Path sources = ROOT.resolve(module).resolve("src/main/java");
      for (Path folder : folders(sources)) {
        found.put(
            sources.relativize(folder).toString().replaceAll("[/\\\\]", "."),
            RoomSources.of(folder).knots());
      }
    }
    found.values().removeIf(List::isEmpty);
    return found;
  }

  private static List<Path> folders(Path sources) throws IOException {
    try (Stream<Path> all = Files.walk(sources)) {
      return all.filter(Files::isDirectory).toList();
    }
  }
}
