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

/// What the owners of names and shards have done, by the lines of all nodes and by the resource:
/// finds two that have acted at the same time, tokens that do not grow from owner to owner, and
/// writes of former owners that the resource has let in.
///
/// The resource goes by tokens alone. When each owner was granted its name is known here, without
/// tokens: of two calls of which one had returned before the other began, the second one is the
/// later owner's.
///
/// All times are those of the monotonic clock, which all JVMs of a machine share. A node that was
/// stopped cannot know at once that its lease is over: what it does within 100 ms after it goes on
/// does not count.
final class SoakOwners {
  private static final long GRACE_NANOS = 100_000_000;
  private static final long SLOW_GRACE_NANOS = 5_000_000_000L;

  /// A time in which a node stood still, with what it took to stop and resume it.
  private record Pause(String node, long from, long to) {}

  /// Deeds without a gap, of one ownership.
  record Acts(String node, String name, long token, long from, long to) {}

  /// A name was given to a node, some time between the call and its return.
  record Grant(String node, String name, long token, long called, long returned) {}

  private final Map<String, List<Grant>> grants = new TreeMap<>(); // by name
  private final List<Pause> pauses = new ArrayList<>();
  private final Map<String, Map<Long, List<Acts>>> acts = new TreeMap<>(); // by name and token
  private final Map<NodeJvm, Integer> read = new HashMap<>(); // lines of a node
  private final Path directory;
  private long graceNanos = GRACE_NANOS;

  SoakOwners(Path directory) {
    this.directory = directory;
  }

  /// A short run judges no speed: a node that goes on has five seconds.
  void tolerateASlowMachine() {
    graceNanos = SLOW_GRACE_NANOS;
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
      if (words.length == 6 && words[1].equals("GRANTED")) {
        add(
            new Grant(
                node,
                words[2],
                Long.parseLong(words[3]),
                Long.parseLong(words[4]),
                Long.parseLong(words[5])));
      } else if (words.length == 6 && words[1].equals("ACTS")) {
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

  void add(Grant grant) {
    grants.computeIfAbsent(grant.name, _ -> new ArrayList<>()).add(grant);
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

  /// How many have acted.
  ///
  /// @param names of what begins with this
  int ownerships(String names) {
    return acts.entrySet().stream()
        .filter(it -> it.getKey().startsWith(names))
        .mapToInt(it -> it.getValue().size())
        .sum();
  }

  /// What did not hold.
  List<String> judge() throws IOException {
    List<String> problems = new ArrayList<>();
    acts.forEach((name, byToken) -> overlaps(List.copyOf(byToken.values()), problems));
    grants.forEach((_, all) -> tokens(all, problems));
    for (String name : grants.keySet()) {
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
    return wasStopped(late.node, Math.max(late.from, next), late.to);
  }

  /// Whether a node was stopped at a time, or had gone on just before.
  boolean wasStopped(String node, long from, long to) {
    return pauses.stream()
        .anyMatch(it -> it.node.equals(node) && from >= it.from && to <= it.to + graceNanos);
  }

  private List<Pause> stopped(String node) {
    return pauses.stream().filter(it -> it.node.equals(node)).toList().reversed().stream()
        .limit(2)
        .toList();
  }

  /// Whether one was granted when the other one was already.
  private static boolean isLater(Grant later, Grant earlier) {
    return later.called > earlier.returned;
  }

  private static void tokens(List<Grant> all, List<String> problems) {
    Grant highest = null; // of those before
    List<Grant> begun = new ArrayList<>(all);
    begun.sort(Comparator.comparingLong(Grant::called));
    List<Grant> returned = new ArrayList<>(all);
    returned.sort(Comparator.comparingLong(Grant::returned));
    int before = 0;
    for (Grant each : begun) {
      for (; before < returned.size() && isLater(each, returned.get(before)); before++) {
        Grant other = returned.get(before);
        highest = highest == null || other.token > highest.token ? other : highest;
      }
      if (highest != null && each.token <= highest.token) {
        problems.add("token: %s was granted after %s".formatted(each, highest));
      }
    }
  }

  /// @param name of the resource, too
  private void writes(String name, List<String> problems) throws IOException {
    Map<String, Grant> by = new HashMap<>(); // token and node
    for (Grant each : grants.get(name)) {
      by.put(each.token + " " + each.node, each);
    }
    Grant latest = null; // of those that have written, the one that was granted last
    SoakResource.Write last = null;
    for (SoakResource.Write each : new SoakResource(directory.resolve(name)).all()) {
      if (last != null && each.token() == last.token() && !each.node().equals(last.node())) {
        problems.add("token: %s and %s have owned %s".formatted(last, each, name));
      }
      last = each;
      Grant grant = by.get(each.token() + " " + each.node());
      if (grant == null) {
        continue; // its node was killed before it could say so
      }
      if (latest != null && isLater(latest, grant)) {
        problems.add(
            "stale: %s to %s was let in after %s, which was granted later, had written"
                .formatted(each, name, latest));
      } else if (latest == null || isLater(grant, latest)) {
        latest = grant;
      }
    }
  }
}
