// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import java.util.HashMap;
import java.util.Map;

/// The ids of held requests whose askers still wait. One thread at a time.
final class HeldAsks {
  /*
   * An asker that gives up names its request by the id, and not by the mailbox. So the ids are kept
   * beside what is held, one bit each: 64 neighbours are one entry of a map. The other node counts
   * its requests up, so those of a flood take one or two bytes each. A set of ids took 64. Ids that
   * are far from each other take one entry each, which counts.
   *
   * I1. memory() is what the entries take, whatever the ids are. [HeldAsksTest]
   */

  /// Bytes of an entry: 32 of its node, 24 of each of its two boxes, and its place in the table.
  static final int ENTRY_COST = 96;

  private static final int SHIFT = 6; // 64 ids in an entry

  private Map<Long, Long> bits = new HashMap<>();

  /// How many bytes of memory they take.
  long memory() {
    return (long) ENTRY_COST * bits.size();
  }

  void add(long id) {
    bits.merge(id >> SHIFT, 1L << id, (all, one) -> all | one);
  }

  boolean contains(long id) {
    return (bits.getOrDefault(id >> SHIFT, 0L) & 1L << id) != 0;
  }

  /// Removes an id. One that is not here changes nothing.
  void remove(long id) {
    Long all = bits.get(id >> SHIFT);
    if (all == null) {
      return;
    }
    long rest = all & ~(1L << id);
    if (rest != 0) {
      bits.put(id >> SHIFT, rest);
    } else {
      bits.remove(id >> SHIFT);
      if (bits.isEmpty()) {
        clear();
      }
    }
  }

  /// Removes all, with the table, which may have grown.
  void clear() {
    bits = new HashMap<>();
  }
}
