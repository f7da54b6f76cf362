// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.observe.CoroutineSnapshot;
import org.jspecify.annotations.Nullable;

/// Where a coroutine was spawned, and by which other one: the asynchronous trace. It leads from
/// spawner to spawner, holds words only, and is the same object for all that one coroutine spawns
/// in a row at one line.
///
/// @param line a site without a name and without a spawner
/// @param spawner the number of the spawner; [#NONE]: no coroutine
/// @param spawnerName null: it has none
/// @param spawnerSite its trace; its site in words if it has no trace, or if this was cut
/// @param length how many spawners it leads to
/// @param cut whether the spawners of the last one are left out
record SpawnTrace(
    Object line,
    long spawner,
    @Nullable String spawnerName,
    @Nullable Object spawnerSite,
    int length,
    boolean cut) {
  static final long NONE = 0;
  static final long MAIN = 1; // the first coroutine of its loop; it has no spawner

  // else coroutines that each spawn a successor and end would retain the whole chain
  static final int LONGEST = 64;

  /// Of what no coroutine spawns.
  static SpawnTrace of(Object line) {
    return new SpawnTrace(line, NONE, null, null, 0, false);
  }

  /// Of what a coroutine spawns.
  ///
  /// @param site of that coroutine
  static SpawnTrace of(Object line, long spawner, @Nullable String name, Object site) {
    SpawnTrace before = SpawnSites.trace(site);
    if (before == null || before.length == LONGEST) {
      return new SpawnTrace(line, spawner, name, SpawnSites.describe(site), 1, before != null);
    }
    return new SpawnTrace(line, spawner, name, before, before.length + 1, false);
  }

  /// Whether it is that of what this coroutine spawns at this line.
  boolean is(Object at, long by) {
    return line == at && spawner == by;
  }

  /// Number and name of a coroutine, as in its snapshot: [CoroutineSnapshot#label].
  static String label(long id, @Nullable String name) {
    return name == null ? "coroutine-" + id : "coroutine-" + id + " '" + name + "'";
  }
}
