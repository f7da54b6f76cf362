// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import dev.heddle.internal.InWords;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The wait-for graph of a dump, and its cycles.
final class WaitGraph {
  /*
   * Nodes. Coroutines, and lists of holders: the coroutines that must act before an event can fire.
   * An edge leads from a coroutine to the list of each event that it waits for, and from a list to
   * each coroutine in it; from a coroutine that waits in the JDK directly to the owner of the
   * awaited object. Coroutines that wait for one event share its list (see DumpTaker), so n of them
   * that wait for a scope of n make 2n edges and not n * n.
   *
   * The search is depth-first, without recursion: a chain of 100,000 coroutines is a legal program.
   * It finds a node on its path again exactly if there is a cycle. A cycle is reported unless one
   * of its coroutines is in a reported cycle: for a dense graph that is enough. `deepestReported`
   * decides that without a pass over the cycle: the reported coroutines on the path are chained
   * from the deepest one up, and a cycle is always the end of the path.
   *
   * Cost. Linear in the edges. [WaitGraphTest]
   */
  private static final int NOWHERE = -1;
  private static final int MAX_NAMED = DumpText.MAX_LISTED; // coroutines named; the rest is counted

  /// A cycle for reports: from each member by a wait, null for one in the JDK, to the next.
  private record Cycle(List<CoroutineSnapshot> members, List<@Nullable WaitSnapshot> waits) {}

  private static final class Node {
    final @Nullable CoroutineSnapshot coroutine; // null: a list of holders
    final List<Long> holders; // of a coroutine: the owner of its JDK wait
    int tried; // of its edges
    boolean entered;
    int depth = NOWHERE; // on the path
    int reportedAbove = NOWHERE; // path index of the previous reported coroutine

    Node(@Nullable CoroutineSnapshot coroutine, List<Long> holders) {
      this.coroutine = coroutine;
      this.holders = holders;
    }

    int waits() {
      return coroutine == null ? 0 : coroutine.waits().size();
    }

    boolean isDone() {
      return tried == waits() + holders.size();
    }
  }

  private final Map<Long, Node> coroutines = new TreeMap<>();
  // by the list of holders
  private final IdentityHashMap<List<Long>, Node> shared = new IdentityHashMap<>();

  // of the search
  private final List<Node> path = new ArrayList<>();
  private int deepestReported = NOWHERE;
  private long visited;
  private final List<Cycle> found = new ArrayList<>();

  WaitGraph(Dump dump) {
    for (CoroutineSnapshot c : dump.coroutines()) {
      Long owner = c.foreign() == null ? null : c.foreign().ownerId();
      coroutines.put(c.id(), new Node(c, owner == null ? List.of() : List.of(owner)));
    }
    coroutines.values().forEach(this::searchFrom);
  }

  /// Cycles without a common member, each beginning with its lowest number.
  List<List<CoroutineSnapshot>> cycles() {
    return found.stream().map(Cycle::members).toList();
  }

  long visited() {
    return visited;
  }

  // ---- the search ----

  private void searchFrom(Node start) {
    enter(start);
    while (!path.isEmpty()) {
      Node last = path.getLast();
      if (last.isDone()) {
        leave(last);
        continue;
      }
      Node next = next(last);
      if (next == null) {
        continue; // it has ended meanwhile
      }
      if (next.depth == NOWHERE) {
        enter(next);
      } else {
        close(next.depth);
      }
    }
  }

  private void enter(Node node) {
    if (!node.entered) {
      node.entered = true;
      node.depth = path.size();
      path.add(node);
    }
  }

  private void leave(Node last) {
    if (deepestReported == last.depth) {
      deepestReported = last.reportedAbove;
    }
    last.depth = NOWHERE;
    path.removeLast();
  }

  private @Nullable Node next(Node from) {
    visited++;
    int edge = from.tried++;
    if (from.coroutine != null && edge < from.waits()) {
      List<Long> holders = from.coroutine.waits().get(edge).holders();
      return shared.computeIfAbsent(holders, list -> new Node(null, list));
    }
    return coroutines.get(from.holders.get(edge - from.waits()));
  }

  /// Records the cycle from the path's end back to the node at `from`.
  private void close(int from) {
    if (deepestReported >= from) {
      return;
    }
    List<CoroutineSnapshot> members = new ArrayList<>();
    List<@Nullable WaitSnapshot> waits = new ArrayList<>();
    for (int i = from; i < path.size(); i++) {
      Node node = path.get(i);
      if (node.coroutine != null) {
        members.add(node.coroutine);
        waits.add(waitBy(node.coroutine, path.get(i + 1 == path.size() ? from : i + 1)));
        node.reportedAbove = deepestReported;
        deepestReported = i;
      }
    }
    int lowest = 0;
    for (int i = 0; i < members.size(); i++) {
      lowest = members.get(i).id() < members.get(lowest).id() ? i : lowest;
    }
    Collections.rotate(members, -lowest);
    Collections.rotate(waits, -lowest);
    found.add(new Cycle(List.copyOf(members), waits));
  }

  private static @Nullable WaitSnapshot waitBy(CoroutineSnapshot waiting, Node next) {
    for (WaitSnapshot wait : waiting.waits()) {
      if (next.coroutine == null && wait.holders() == next.holders) {
        return wait;
      }
    }
    return null;
  }

  // ---- text ----

  /// A line for each cycle, each with a line break, until the maximum of coroutines is named; of a
  /// longer cycle the beginning.
  String inWords() {
    StringBuilder text = new StringBuilder();
    int left = MAX_NAMED;
    int described = 0;
    while (described < found.size() && left > 0) {
      left -= describe(found.get(described++), left, text);
    }
    int more = found.size() - described;
    if (more > 0) {
      text.append("and ").append(InWords.count(more, "more cycle")).append('\n');
    }
    return text.toString();
  }

  /// @return how many were named
  private static int describe(Cycle cycle, int most, StringBuilder text) {
    List<CoroutineSnapshot> members = cycle.members();
    int named = Math.min(members.size(), most);
    text.append(members.getFirst().label());
    for (int i = 0; i < named; i++) {
      CoroutineSnapshot next = members.get((i + 1) % members.size());
      text.append(i == 0 ? " waits for " : ", which waits for ")
          .append(because(members.get(i), cycle.waits().get(i), next));
    }
    if (named < members.size()) {
      text.append(", and so on round a cycle of ")
          .append(InWords.count(members.size(), "coroutine"));
    }
    text.append('\n');
    return named;
  }

  private static String because(
      CoroutineSnapshot waiting, @Nullable WaitSnapshot wait, CoroutineSnapshot holder) {
    if (wait != null) {
      return wait.on().contains(holder.label())
          ? wait.on()
          : wait.on()
              + (wait.holders().size() == 1 ? ", held by " : ", among them ")
              + holder.label();
    }
    ForeignWait foreign = waiting.foreign();
    return foreign == null ? holder.label() : DumpText.blocker(foreign);
  }
}
