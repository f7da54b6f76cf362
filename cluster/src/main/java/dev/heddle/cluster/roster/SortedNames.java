// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/// Sets of names whose order is the same in each JVM, unlike that of [java.util.Set#copyOf].
public final class SortedNames {
  private SortedNames() {}

  /// A copy that nobody can change.
  public static SortedSet<String> copyOf(Collection<String> names) {
    return Collections.unmodifiableSortedSet(new TreeSet<>(names));
  }
}
