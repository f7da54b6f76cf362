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
final class Siblings {
  /*
   * Who has started before whom. A child can only be after children that were named before it, so
   * the order of naming is an order in which all can be started, and there are no circles. Who
   * takes the place of one that is over takes its number too: others may be after that name.
   *
   * Cost. No event looks at all children: its cost does not grow with their number, but for the
   *   logarithm of the order of naming. A child that becomes WAITING stands in `toStart`. When its
   *   turn has come, and one that it is after has not started, it is held back by that one, the
   *   first found: it is looked at again when that one starts, and not before. A temporary child
   *   that is over can be forgotten when nobody is after it: those are counted for each name.
   */
  private static final int FEW_NAMES = 20; // in an error message

  private final Map<String, Child> byName = new HashMap<>();
  private final NavigableMap<Long, Child> byNumber = new TreeMap<>();
  private final Map<Pid, Child> byPid = new HashMap<>(); // that runs, or ran last
  private long named; // from the first one on

  private final Queue<Child> toStart =
      new PriorityQueue<>(Comparator.comparingLong((Child child) -> child.number));
  private final Map<String, Set<Child>> heldBack = new HashMap<>(); // by the one they wait for
  private final Map<String, Integer> needed = new HashMap<>(); // how many are after a name
  private final Deque<Child> toForget = new ArrayDeque<>(); // temporary, and over
  private int significant; // of those that are not settled

  /// @param isOfTheFirst named before the supervisor was started
  /// @throws IllegalArgumentException when the name belongs to one that is not over, or it is after
  ///   one that was not named before it
  Child add(ChildSpec spec, boolean isOfTheFirst) {
    Child old = byName.get(spec.name());
    if (old != null && !old.isSettled()) {
      throw new IllegalArgumentException(
          "there is a child '" + spec.name() + "' already; end it, or take another name");
    }
    long number = old == null ? named : old.number;
    for (String name : spec.after()) {
      Child before = byName.get(name);
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
    Child child = new Child(spec, number, isOfTheFirst);
    byName.put(spec.name(), child);
    byNumber.put(number, child);
    spec.after().forEach(name -> needed.merge(name, 1, Integer::sum));
    significant += spec.isSignificant() ? 1 : 0;
    toStart.add(child);
    return child;
  }

  /// @throws IllegalArgumentException when it is not over, or others are after it
  void remove(Child child) {
    String name = child.spec.name();
    if (!child.isSettled()) {
      throw new IllegalArgumentException(
          "child '%s' is %s; end it before it is removed".formatted(name, child.state));
    }
    if (needed.containsKey(name)) {
      throw new IllegalArgumentException(
          "child '" + name + "' is needed: others are after it; remove those before");
    }
    drop(child);
  }

  /// Takes one that is settled out of all lists.
  private void drop(Child child) {
    byName.remove(child.spec.name());
    byNumber.remove(child.number);
    if (child.pid != null) {
      byPid.remove(child.pid, child);
    }
    for (String name : child.spec.after()) {
      if (needed.merge(name, -1, (all, one) -> all + one == 0 ? null : all + one) == null) {
        Child before = Objects.requireNonNull(byName.get(name));
        if (before.isForgettable()) {
          toForget.add(before);
        }
      }
    }
  }

  @Nullable Child get(String name) {
    return byName.get(name);
  }

  /// The child whose process that is, or was last.
  @Nullable Child of(Pid pid) {
    return byPid.get(pid);
  }

  /// The names, for an error message; of many the first ones.
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

  Collection<Child> inOrder() {
    return Collections.unmodifiableCollection(byNumber.values());
  }

  /// One child, and those that were named after it.
  Collection<Child> from(long number) {
    return Collections.unmodifiableCollection(byNumber.tailMap(number).values());
  }

  List<ChildStatus> status() {
    return byNumber.values().stream().map(Child::status).toList();
  }

  // ---- what has changed ----

  /// A child has another process.
  void runsAs(Child child, Pid pid) {
    if (child.pid != null) {
      byPid.remove(child.pid, child);
    }
    child.pid = pid;
    byPid.put(pid, child);
  }

  /// A child has come from one state to another.
  void hasChanged(Child child, State before) {
    if (child.state == State.WAITING) {
      toStart.add(child);
    } else if (child.heldBackBy != null) {
      release(child, child.heldBackBy);
    }
    if (child.hasStarted()) {
      letThoseAfter(child);
    }
    if (child.isForgettable()) {
      toForget.add(child);
    }
    if (child.spec.isSignificant()) {
      significant += (child.isSettled() ? 0 : 1) - (Child.isSettled(before) ? 0 : 1);
    }
  }

  /// How many significant children are not settled.
  int significant() {
    return significant;
  }

  // ---- starts ----

  /// Whether some stand in line to be started.
  boolean someMayStart() {
    return !toStart.isEmpty();
  }

  /// The first that waits, and for nobody any more; null when there is none.
  @Nullable Child nextToStart() {
    while (true) {
      Child child = toStart.poll();
      if (child == null || mayStart(child)) {
        return child;
      }
    }
  }

  private boolean mayStart(Child child) {
    if (child.state != State.WAITING || child.heldBackBy != null) {
      return false;
    }
    for (String name : child.spec.after()) {
      if (!Objects.requireNonNull(byName.get(name)).hasStarted()) {
        child.heldBackBy = name;
        heldBack.computeIfAbsent(name, _ -> new LinkedHashSet<>()).add(child);
        return false;
      }
    }
    return true;
  }

  private void letThoseAfter(Child child) {
    Set<Child> waiting = heldBack.remove(child.spec.name());
    if (waiting != null) {
      waiting.forEach(next -> next.heldBackBy = null);
      toStart.addAll(waiting);
    }
  }

  private void release(Child child, String from) {
    child.heldBackBy = null;
    Set<Child> waiting = Objects.requireNonNull(heldBack.get(from));
    waiting.remove(child);
    if (waiting.isEmpty()) {
      heldBack.remove(from);
    }
  }

  // ---- ends ----

  /// A temporary child that is over is forgotten, unless others are after it, who look whether it
  /// has started.
  void forgetThoseThatMayBe() {
    for (Child child = toForget.poll(); child != null; child = toForget.poll()) {
      boolean isKnown = byName.get(child.spec.name()) == child;
      if (isKnown && child.isForgettable() && !needed.containsKey(child.spec.name())) {
        drop(child);
      }
    }
  }
}
