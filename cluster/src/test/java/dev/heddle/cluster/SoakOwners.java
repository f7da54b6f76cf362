// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What the owners of names have done, by the lines of all nodes and by the resource: finds two
/// that have acted at the same time, and writes that should not have been let in.
///
/// All times are those of the monotonic clock, which all JVMs of a machine share. A node that was
/// stopped cannot know at once that its lease is over: what it does within 100 ms after it goes on
/// does not count.
final class SoakOwners {
  private static final long GRACE_NANOS = 100_000_000;

  /// A time in which a node stood still, with what it took to stop and resume it.
  private record Pause(String node, long from, long to) {}

  /// Deeds without a gap, of one ownership.
  record Acts(String node, String name, long token, long from, long to) {}

  private final List<Pause> pauses = new ArrayList<>();
  private final Map<String, Map<Long, List<Acts>>> acts = new TreeMap<>(); // by name and token
  private final Map<NodeJvm, Integer> read = new HashMap<>(); // lines of a node
  private final Path directory;

  SoakOwners(Path directory) {
    this.directory = directory;
  }

  void paused(String node, long from, long to) {
    pauses.add(new Pause(node, from, to));
  }

  /// Reads what a node has said since the last time.
  void read(String node, NodeJvm jvm) {
    List<String> lines = jvm.all();
    int size = lines.size();
    for (String line : lines.subList(read.getOrDefault(jvm, 0), size)) {
      String[] words = line.split(" ");
      if (words.length == 6 && words[1].equals("ACTS")) {
        add(
            new Acts(
                node,
                words[2],
                Long.parseLong(words[3]),
                Long.parseLong(words[4]),
                Long.parseLong(words[5])));
      }
    }
    read.put(jvm, size);
  }

  void add(Acts more) {
    List<Acts> all =
        acts.computeIfAbsent(more.name, _ -> new TreeMap<>())
            .computeIfAbsent(more.token, _ -> new ArrayList<>());
    if (!all.isEmpty() && all.getLast().from == more.from) {
      all.removeLast(); // the same, which has gone on
    }
    all.add(more);
  }

  int ownerships() {
    return acts.values().stream().mapToInt(Map::size).sum();
  }

  /// What did not hold.
  List<String> judge() throws IOException {
    List<String> problems = new ArrayList<>();
    acts.forEach((name, byToken) -> overlaps(List.copyOf(byToken.values()), problems));
    for (String name : acts.keySet()) {
      writes(name, problems);
    }
    return problems;
  }

  /// @param ownerships of one name, in the order of their tokens
  private void overlaps(List<List<Acts>> ownerships, List<String> problems) {
    Acts next = null; // the first deed of all later ones
    for (List<Acts> ownership : ownerships.reversed()) {
      for (Acts one : ownership) {
        if (next != null && one.to > next.from && !isExcused(one, next.from)) {
          problems.add(
              "overlap: %s acted %d ms after the first deed of %s; it was stopped %s"
                  .formatted(one, (one.to - next.from) / 1_000_000, next, stopped(one.node)));
        }
      }
      Acts first = Collections.min(ownership, Comparator.comparingLong(Acts::from));
      next = next == null || first.from < next.from ? first : next;
    }
  }

  private boolean isExcused(Acts late, long next) {
    long from = Math.max(late.from, next);
    return pauses.stream()
        .anyMatch(
            it -> it.node.equals(late.node) && from >= it.from && late.to <= it.to + GRACE_NANOS);
  }

  private List<Pause> stopped(String node) {
    return pauses.stream().filter(it -> it.node.equals(node)).toList().reversed().stream()
        .limit(2)
        .toList();
  }

  private void writes(String name, List<String> problems) throws IOException {
    SoakResource.Write last = null;
    for (SoakResource.Write each : new SoakResource(directory.resolve(name)).all()) {
      if (last != null && each.token() < last.token()) {
        problems.add("stale: %s was written to %s after %s".formatted(each, name, last));
      }
      if (last != null && each.token() == last.token() && !each.node().equals(last.node())) {
        problems.add("token: %s and %s have owned %s".formatted(last, each, name));
      }
      last = each;
    }
  }
}
