// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.SoakDeeds.Deed;
import dev.heddle.cluster.SoakDeeds.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Whether the gaps in messages between processes are where sessions have ended, by the deeds of
/// all nodes: see [SoakTraffic].
///
/// What is accepted in one session arrives as a whole, but for what was on its way at its end: so
/// the first message behind a gap is the first one that was accepted after the end of a session
/// between these two lives. What a node has sent before it begins to leave arrives, when it leaves
/// in time.
final class SoakGaps {
  /// Two lives, of the sender and of the sink.
  private record Pair(String from, int life, String to, int itsLife) {}

  private final List<Deed> deeds;
  private final Map<Pair, Set<Integer>> cuts = new HashMap<>(); // first numbers of sessions
  private final Map<String, Set<Integer>> cutsOfNodes = new HashMap<>(); // of all lives of a sink
  private final List<String> problems = new ArrayList<>();
  private int gaps;
  private int leaves;

  SoakGaps(List<Deed> deeds) {
    this.deeds = deeds;
  }

  /// What did not hold.
  List<String> judge() {
    deeds.stream().filter(it -> it.kind() == Kind.SESSION_ENDED).forEach(this::end);
    deeds.stream().filter(it -> it.kind() == Kind.GAP).forEach(this::gap);
    leaves();
    return problems;
  }

  private void end(Deed end) {
    Pair pair = new Pair(end.at(), end.key(), end.from(), end.life());
    Set<Integer> first = cuts.computeIfAbsent(pair, _ -> new HashSet<>());
    first.add(end.number() + 1);
    if (end.entity() == 1) {
      first.add(end.number() + 2);
    }
    cutsOfNodes
        .computeIfAbsent(end.at() + " " + end.key() + " " + end.from(), _ -> new HashSet<>())
        .addAll(first);
  }

  /// @param gap the sink's
  private void gap(Deed gap) {
    gaps++;
    boolean isFirst = gap.entity() == 0; // what came before was for an earlier life of the sink
    Set<Integer> first =
        isFirst
            ? cutsOfNodes.get(gap.from() + " " + gap.life() + " " + gap.at())
            : cuts.get(new Pair(gap.from(), gap.life(), gap.at(), gap.key()));
    if (first == null || !first.contains(gap.number())) {
      problems.add("lost: %s; sessions of the two began with %s".formatted(gap, first));
    }
  }

  // ---- those that left ----

  private void leaves() {
    Set<String> inTime = new HashSet<>();
    Map<String, Deed> last = new HashMap<>(); // numbers, after the goodbye
    Set<String> goodbyes = new HashSet<>();
    for (Deed deed : deeds) {
      String pair = deed.from() + " " + deed.life() + " " + deed.at();
      switch (deed.kind()) {
        case LEFT -> inTime.add(deed.at() + " " + deed.key());
        case GOODBYE -> goodbyes.add(pair);
        case LAST -> {
          if (goodbyes.contains(pair)) {
            last.put(pair, deed);
          }
        }
        default -> {}
      }
    }
    for (Deed deed : deeds) {
      Deed came = last.get(deed.at() + " " + deed.key() + " " + deed.from());
      boolean isLeave =
          deed.kind() == Kind.LEAVING && inTime.contains(deed.at() + " " + deed.key());
      if (isLeave && came != null && !isOfAnEarlierSession(deed, came)) {
        leaves++;
        if (came.number() < deed.number()) {
          problems.add("lost: %s left in time, and %s came last".formatted(deed, came));
        }
      }
    }
  }

  /// Whether a session had ended before, and in the next one nothing was sent.
  private boolean isOfAnEarlierSession(Deed leaving, Deed came) {
    Pair pair = new Pair(leaving.at(), leaving.key(), leaving.from(), came.key());
    return deeds.stream()
        .anyMatch(it ->
            it.kind() == Kind.SESSION_ENDED
                && it.nanos() < leaving.nanos()
                && new Pair(it.at(), it.key(), it.from(), it.life()).equals(pair)
                && it.number() + it.entity() >= leaving.number());
  }

  /// A line.
  String counts() {
    return "Gaps in messages between processes, each at the end of a session: %d; ends of streams of nodes that left: %d"
        .formatted(gaps, leaves);
  }
}
