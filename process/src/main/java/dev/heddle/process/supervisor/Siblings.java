// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Pid;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The children of one supervisor, in the order in which they were named.
final class Siblings {
  /*
   * Who has started before whom. A child can only be after children that were named before it, so the order of naming is an order in
   * which all can be started, and there are no circles. Who takes the place of one that is over takes its number too: others may be
   * after that name.
   */

  private final Map<String, Child> byName = new LinkedHashMap<>();
  private int named; // from the first one on
  private boolean someForgettable; // since the last look

  /// @throws IllegalArgumentException when the name belongs to one that is not over, or it is after
  ///   one that was not named before it
  Child add(ChildSpec spec) {
    Child old = byName.get(spec.name());
    if (old != null && !old.isSettled()) {
      throw new IllegalArgumentException(
          "there is a child '" + spec.name() + "' already; end it, or take another name");
    }
    int number = old == null ? named++ : old.number;
    for (String name : spec.after()) {
      Child before = byName.get(name);
      if (before == null || before.number >= number) {
        throw new IllegalArgumentException(
            "child '%s' is after '%s', which has not been named before it; name it before"
                .formatted(spec.name(), name));
      }
    }
    Child child = new Child(spec, number);
    byName.put(spec.name(), child); // in the place of the old one
    return child;
  }

  @Nullable Child get(String name) {
    return byName.get(name);
  }

  Set<String> names() {
    return Collections.unmodifiableSet(byName.keySet());
  }

  Collection<Child> inOrder() {
    return Collections.unmodifiableCollection(byName.values());
  }

  List<ChildStatus> status() {
    return byName.values().stream().map(Child::status).toList();
  }

  boolean mayStart(Child child) {
    return child.state == ChildStatus.State.WAITING
        && child.spec.after().stream()
            .allMatch(name -> Objects.requireNonNull(byName.get(name)).hasStarted());
  }

  boolean isOfAny(Pid pid) {
    return byName.values().stream().anyMatch(child -> pid.equals(child.pid));
  }

  void hasChanged(Child child) {
    someForgettable |= child.isForgettable();
  }

  /// A temporary child that is over is forgotten, unless others are after it, who look whether it
  /// has started.
  void forgetThoseThatMayBe() {
    if (!someForgettable) {
      return;
    }
    someForgettable = false;
    Set<String> needed = new HashSet<>();
    byName.values().forEach(child -> needed.addAll(child.spec.after()));
    byName.values().removeIf(child -> child.isForgettable() && !needed.contains(child.spec.name()));
  }
}
