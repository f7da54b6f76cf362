// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.feed;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.internal.LongIndex;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The coroutines that were looked at, one row each: its group and since when it waits. In columns:
/// a summary reads two arrays from end to end, and touches no coroutine.
final class WaitTable {
  private static final int FIRST = 64;

  private final LongIndex rows = new LongIndex(); // by the number of the coroutine
  private @Nullable CoroutineNode<?>[] nodes = new CoroutineNode<?>[FIRST];
  private int[] groups = new int[FIRST];
  private int[] since = new int[FIRST]; // as Waker.waitingSince()
  private int size;

  int size() {
    return size;
  }

  /// Adds a coroutine, or changes its row.
  void put(CoroutineNode<?> node, int group, int waitingSince) {
    int row = rows.get(node.id());
    if (row == LongIndex.ABSENT) {
      row = size++;
      if (row == nodes.length) {
        nodes = Arrays.copyOf(nodes, 2 * row);
        groups = Arrays.copyOf(groups, 2 * row);
        since = Arrays.copyOf(since, 2 * row);
      }
      rows.put(node.id(), row);
      nodes[row] = node;
    }
    groups[row] = group;
    since[row] = waitingSince;
  }

  /// Removes a coroutine, if it is there.
  void remove(CoroutineNode<?> node) {
    int row = rows.remove(node.id());
    if (row == LongIndex.ABSENT) {
      return;
    }
    int last = --size;
    CoroutineNode<?> moved = nodes[last];
    nodes[last] = null;
    if (row != last && moved != null) {
      nodes[row] = moved;
      groups[row] = groups[last];
      since[row] = since[last];
      rows.put(moved.id(), row);
    }
  }

  @Nullable CoroutineNode<?> node(int row) {
    return nodes[row];
  }

  int group(int row) {
    return groups[row];
  }

  /// How long a coroutine has waited, in the units of the loop's coarse clock.
  int waited(int row, int now) {
    return now - since[row];
  }

  /// Counts the rows of each group, and finds in each the one that has waited longest.
  ///
  /// @param counts by group
  /// @param oldest the row, by group; -1 where there is none
  void summarise(int[] counts, int[] oldest) {
    Arrays.fill(oldest, -1);
    for (int row = 0; row < size; row++) {
      int group = groups[row];
      counts[group]++;
      int first = oldest[group];
      if (first < 0 || since[row] - since[first] < 0) { // the difference: the units wrap
        oldest[group] = row;
      }
    }
  }
}
