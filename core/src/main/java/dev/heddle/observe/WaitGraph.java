// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Who waits for whom, from a dump: an edge leads from a coroutine to each one that has to act
/// before it can go on.
final class WaitGraph {
  private final Map<Long, CoroutineSnapshot> nodes = new TreeMap<>();

  // of the search in depth; without recursion, for a chain of 100,000 coroutines is a legal program
  private final Set<Long> seen = new HashSet<>();
  private final List<CoroutineSnapshot> path = new ArrayList<>();
  private final List<Iterator<Long>> untried = new ArrayList<>();
  private final Set<Long> onPath = new HashSet<>();
  private final Set<Long> told = new HashSet<>();
  private final List<List<CoroutineSnapshot>> found = new ArrayList<>();

  WaitGraph(Dump dump) {
    dump.coroutines().forEach(c -> nodes.put(c.id(), c));
    nodes.values().forEach(this::searchFrom);
  }

  /// Cycles without a common member, each beginning with its lowest number: of a knot of many,
  /// enough to see how it is tied.
  List<List<CoroutineSnapshot>> cycles() {
    return found;
  }

  private void searchFrom(CoroutineSnapshot start) {
    enter(start);
    while (!path.isEmpty()) {
      Iterator<Long> next = untried.getLast();
      if (!next.hasNext()) {
        untried.removeLast();
        onPath.remove(path.removeLast().id());
        continue;
      }
      CoroutineSnapshot holder = nodes.get(next.next());
      if (holder == null) {
        continue; // it has ended, and nobody has noticed yet
      }
      if (onPath.contains(holder.id())) {
        close(path.subList(path.indexOf(holder), path.size()));
      } else {
        enter(holder);
      }
    }
  }

  private void enter(CoroutineSnapshot node) {
    if (seen.add(node.id())) {
      path.add(node);
      untried.add(holders(node).iterator());
      onPath.add(node.id());
    }
  }

  private static List<Long> holders(CoroutineSnapshot waiting) {
    List<Long> holders = new ArrayList<>();
    waiting.waits().forEach(wait -> holders.addAll(wait.holders()));
    ForeignWait foreign = waiting.foreign();
    if (foreign != null && foreign.ownerId() != null) {
      holders.add(foreign.ownerId());
    }
    return holders;
  }

  private void close(List<CoroutineSnapshot> members) {
    if (members.stream().anyMatch(member -> told.contains(member.id()))) {
      return;
    }
    List<CoroutineSnapshot> cycle = new ArrayList<>(members);
    int lowest = 0;
    for (int i = 0; i < cycle.size(); i++) {
      lowest = cycle.get(i).id() < cycle.get(lowest).id() ? i : lowest;
      told.add(cycle.get(i).id());
    }
    Collections.rotate(cycle, -lowest);
    found.add(List.copyOf(cycle));
  }

  /// A line for each cycle, each ending with a line break.
  String inWords() {
    StringBuilder text = new StringBuilder();
    for (List<CoroutineSnapshot> cycle : found) {
      text.append(cycle.getFirst().label());
      for (int i = 0; i < cycle.size(); i++) {
        CoroutineSnapshot next = cycle.get((i + 1) % cycle.size());
        text.append(i == 0 ? " waits for " : ", which waits for ")
            .append(because(cycle.get(i), next));
      }
      text.append('\n');
    }
    return text.toString();
  }

  private static String because(CoroutineSnapshot waiting, CoroutineSnapshot holder) {
    for (WaitSnapshot wait : waiting.waits()) {
      if (wait.holders().contains(holder.id())) {
        return wait.on().contains(holder.label())
            ? wait.on()
            : wait.on()
                + (wait.holders().size() == 1 ? ", held by " : ", among them ")
                + holder.label();
      }
    }
    ForeignWait foreign = waiting.foreign();
    return foreign == null ? holder.label() : DumpText.blocker(foreign);
  }
}
