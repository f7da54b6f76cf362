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
      new PriorityQueue<>(
          Comparator.comparingLong((SupervisedChild supervisedChild) -> supervisedChild.number));
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
    SupervisedChild supervisedChild = new SupervisedChild(spec, number, isOfTheFirst);
    byName.put(spec.name(), supervisedChild);
    byNumber.put(number, supervisedChild);
    spec.after().forEach(name -> dependentCounts.merge(name, 1, Integer::sum));
    significant += spec.isSignificant() ? 1 : 0;
    toStart.add(supervisedChild);
    return supervisedChild;
  }

  /// @throws IllegalArgumentException when it is not settled, or others are after it
  void remove(SupervisedChild supervisedChild) {
    String name = supervisedChild.spec.name();
    if (!supervisedChild.isSettled()) {
      throw new IllegalArgumentException(
          "child '%s' is %s; end it before it is removed".formatted(name, supervisedChild.state));
    }
    if (dependentCounts.containsKey(name)) {
      throw new IllegalArgumentException(
          "child '" + name + "' is needed: others are after it; remove those before");
    }
    drop(supervisedChild);
  }

  /// Removes a settled child from all lists.
  private void drop(SupervisedChild supervisedChild) {
    byName.remove(supervisedChild.spec.name());
    byNumber.remove(supervisedChild.number);
    if (supervisedChild.pid != null) {
      byPid.remove(supervisedChild.pid, supervisedChild);
    }
    for (String name : supervisedChild.spec.after()) {
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
            .map(supervisedChild -> supervisedChild.spec.name())
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

  // ---- changes ----

  /// Records the new process of a child.
  void runsAs(SupervisedChild supervisedChild, Pid pid) {
    if (supervisedChild.pid != null) {
      byPid.remove(supervisedChild.pid, supervisedChild);
    }
    supervisedChild.pid = pid;
    byPid.put(pid, supervisedChild);
  }

  /// Called when the state of a child has changed.
  void hasChanged(SupervisedChild supervisedChild, State before) {
    if (supervisedChild.state == State.WAITING) {
      toStart.add(supervisedChild);
    } else if (supervisedChild.heldBackBy != null) {
      release(supervisedChild, supervisedChild.heldBackBy);
    }
    if (supervisedChild.hasStarted()) {
      releaseDependents(supervisedChild);
    }
    if (supervisedChild.isForgettable()) {
      forgettable.add(supervisedChild);
    }
    if (supervisedChild.spec.isSignificant()) {
      significant +=
          (supervisedChild.isSettled() ? 0 : 1) - (SupervisedChild.isSettled(before) ? 0 : 1);
    }
  }

  /// The number of significant children that are not settled.
  int significant() {
    return significant;
  }

  // ---- starts ----

  /// Whether children are queued to start.
  boolean someMayStart() {
    return !toStart.isEmpty();
  }

  /// The first WAITING child that no other holds back; null when there is none.
  @Nullable SupervisedChild nextToStart() {
    while (true) {
      SupervisedChild supervisedChild = toStart.poll();
      if (supervisedChild == null || mayStart(supervisedChild)) {
        return supervisedChild;
      }
    }
  }

  private boolean mayStart(SupervisedChild supervisedChild) {
    if (supervisedChild.state != State.WAITING || supervisedChild.heldBackBy != null) {
      return false;
    }
    for (String name : supervisedChild.spec.after()) {
      if (!Objects.requireNonNull(byName.get(name)).hasStarted()) {
        supervisedChild.heldBackBy = name;
        dependents.computeIfAbsent(name, _ -> new LinkedHashSet<>()).add(supervisedChild);
        return false;
      }
    }
    return true;
  }

  private void releaseDependents(SupervisedChild supervisedChild) {
    Set<SupervisedChild> waiting = dependents.remove(supervisedChild.spec.name());
    if (waiting != null) {
      waiting.forEach(next -> next.heldBackBy = null);
      toStart.addAll(waiting);
    }
  }

  private void release(SupervisedChild supervisedChild, String from) {
    supervisedChild.heldBackBy = null;
    Set<SupervisedChild> waiting = Objects.requireNonNull(dependents.get(from));
    waiting.remove(supervisedChild);
    if (waiting.isEmpty()) {
      dependents.remove(from);
    }
  }

  // ---- ends ----

  /// Forgets temporary children that are settled, except those that other children start after.
  void forgetTemporary() {
    for (SupervisedChild supervisedChild = forgettable.poll();
        supervisedChild != null;
        supervisedChild = forgettable.poll()) {
      boolean isKnown = byName.get(supervisedChild.spec.name()) == supervisedChild;
      if (isKnown
          && supervisedChild.isForgettable()
          && !dependentCounts.containsKey(supervisedChild.spec.name())) {
        drop(supervisedChild);
      }
    }
  }
}
