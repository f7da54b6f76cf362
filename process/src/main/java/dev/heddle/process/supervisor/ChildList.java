// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Pid;
import dev.heddle.process.supervisor.ChildStatus.State;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The children of one supervisor, in the order in which they were named.
final class ChildList {
  /*
   * Order. A child can only start after children that were named before it. So the order of naming
   * is an order in which all can start, and there are no cycles. A child that takes the place of a
   * settled one also takes its number, because others may start after that name.
   *
   * Cost. No event visits all children: its cost does not grow with their number, except by a
   * logarithm for the order of naming. A child that becomes WAITING is queued in `toStart`. If it
   * is its turn, and a child that it starts after has not started, it is held back by the first
   * such child, and checked again only when that one starts. A temporary child that is settled can
   * be forgotten if no child starts after it; these are counted for each name.
   */
  private static final int FEW_NAMES = 20; // in an error message

  private final Map<String, SupervisedChild> byName = new HashMap<>();
  private final NavigableMap<Long, SupervisedChild> byNumber = new TreeMap<>();
  private final Map<Pid, SupervisedChild> byPid = new HashMap<>(); // that runs, or ran last
  private long named; // children so far

  private final Queue<SupervisedChild> toStart =
      new PriorityQueue<>(Comparator.comparingLong((SupervisedChild child) -> child.number));
  private final Map<String, Set<SupervisedChild>> dependents =
      new HashMap<>(); // by the child that holds them back
  private final Map<String, Integer> dependentCounts = new HashMap<>(); // that start after a name
  private final Deque<SupervisedChild> forgettable = new ArrayDeque<>(); // temporary and settled
  private int significant; // not settled

  /// @param isOfTheFirst whether it was named before the supervisor was started
  /// @throws IllegalArgumentException when the name belongs to a child that is not settled, or the
  ///   child is after one that was not named before it
  SupervisedChild add(ChildSpec spec, boolean isOfTheFirst) {
    SupervisedChild old = byName.get(spec.name());
    if (old != null && !old.isSettled()) {
      throw new IllegalArgumentException(
          "there is a child '" + spec.name() + "' already; end it, or use another name");
    }
    long number = old == null ? named : old.number;
    for (String name : spec.after()) {
      SupervisedChild before = byName.get(name);
      if (before == null || before.number >= number) {
        throw new IllegalArgumentException(
            "child '%s' is after '%s', which has not been named before it; name it before"
                .formatted(spec.name(), name));
      }
    }
    if (old == null) {
      named++;
    } else {
      drop(old);
    }
    SupervisedChild child = new SupervisedChild(spec, number, isOfTheFirst);
    byName.put(spec.name(), child);
    byNumber.put(number, child);
    spec.after().forEach(name -> dependentCounts.merge(name, 1, Integer::sum));
    significant += spec.isSignificant() ? 1 : 0;
    toStart.add(child);
    return child;
  }

  /// @throws IllegalArgumentException when it is not settled, or others are after it
  void remove(SupervisedChild child) {
    String name = child.spec.name();
    if (!child.isSettled()) {
      throw new IllegalArgumentException(
          "child '%s' is %s; end it before it is removed".formatted(name, child.state));
    }
    if (dependentCounts.containsKey(name)) {
      throw new IllegalArgumentException(
          "child '" + name + "' is needed: others are after it; remove those before");
    }
    drop(child);
  }

  /// Removes a settled child from all lists.
  private void drop(SupervisedChild child) {
    byName.remove(child.spec.name());
    byNumber.remove(child.number);
    if (child.pid != null) {
      byPid.remove(child.pid, child);
    }
    for (String name : child.spec.after()) {
      if (dependentCounts.merge(name, -1, (all, one) -> all + one == 0 ? null : all + one)
          == null) {
        SupervisedChild before = Objects.requireNonNull(byName.get(name));
        if (before.isForgettable()) {
          forgettable.add(before);
        }
      }
    }
  }

  @Nullable SupervisedChild get(String name) {
    return byName.get(name);
  }

  /// The child whose present or last process has this PID.
  @Nullable SupervisedChild of(Pid pid) {
    return byPid.get(pid);
  }

  /// The names, for an error message; at most the first few.
  String names() {
    String first =
        byNumber.values().stream()
            .limit(FEW_NAMES)
            .map(child -> child.spec.name())
            .collect(Collectors.joining(", "));
    return byName.size() <= FEW_NAMES
        ? "[" + first + "]"
        : "[" + first + "] and " + (byName.size() - FEW_NAMES) + " more";
  }

  Collection<SupervisedChild> inOrder() {
    return Collections.unmodifiableCollection(byNumber.values());
  }

  /// The child with a number, and those that were named after it.
  Collection<SupervisedChild> from(long number) {
    return Collections.unmodifiableCollection(byNumber.tailMap(number).values());
  }

  List<ChildStatus> status() {
    return byNumber.values().stream().map(SupervisedChild::status).toList();
  }

  void runsAs(SupervisedChild child, Pid pid) {
    if (child.pid != null) {
      byPid.remove(child.pid, child);
    }
    child.pid = pid;
    byPid.put(pid, child);
  }

  void hasChanged(SupervisedChild child, State before) {
    if (child.state == State.WAITING) {
      toStart.add(child);
    } else if (child.heldBackBy != null) {
      release(child, child.heldBackBy);
    }
    if (child.hasStarted()) {
      releaseDependents(child);
    }
    if (child.isForgettable()) {
      forgettable.add(child);
    }
    if (child.spec.isSignificant()) {
      significant += (child.isSettled() ? 0 : 1) - (SupervisedChild.isSettled(before) ? 0 : 1);
    }
  }

  /// The number of significant children that are not settled.
  int significant() {
    return significant;
  }

  /// Whether children are queued to start.
  boolean someMayStart() {
    return !toStart.isEmpty();
  }

  /// The first WAITING child that no other holds back; null when there is none.
  @Nullable SupervisedChild nextToStart() {
    while (true) {
      SupervisedChild child = toStart.poll();
      if (child == null || mayStart(child)) {
        return child;
      }
    }
  }

  private boolean mayStart(SupervisedChild child) {
    if (child.state != State.WAITING || child.heldBackBy != null) {
      return false;
    }
    for (String name : child.spec.after()) {
      if (!Objects.requireNonNull(byName.get(name)).hasStarted()) {
        child.heldBackBy = name;
        dependents.computeIfAbsent(name, _ -> new LinkedHashSet<>()).add(child);
        return false;
      }
    }
    return true;
  }

  private void releaseDependents(SupervisedChild child) {
    Set<SupervisedChild> waiting = dependents.remove(child.spec.name());
    if (waiting != null) {
      waiting.forEach(next -> next.heldBackBy = null);
      toStart.addAll(waiting);
    }
  }

  private void release(SupervisedChild child, String from) {
    child.heldBackBy = null;
    Set<SupervisedChild> waiting = Objects.requireNonNull(dependents.get(from));
    waiting.remove(child);
    if (waiting.isEmpty()) {
      dependents.remove(from);
    }
  }

  /// Forgets temporary children that are settled, except those that other children start after.
  void forgetTemporary() {
    for (SupervisedChild child = forgettable.poll(); child != null; child = forgettable.poll()) {
      boolean isKnown = byName.get(child.spec.name()) == child;
      if (isKnown && child.isForgettable() && !dependentCounts.containsKey(child.spec.name())) {
        drop(child);
      }
    }
  }
}
