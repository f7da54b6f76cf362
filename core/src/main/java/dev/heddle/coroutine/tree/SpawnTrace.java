// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.failure.FailureTable.Origin;
import dev.heddle.observe.CoroutineSnapshot;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The spawn site of a coroutine and the traces of its spawners: the asynchronous trace. Holds
/// names and sites only, no coroutines.
///
/// With exact sites it is created at the spawn and leads from spawner to spawner. Otherwise it is
/// created when a coroutine fails, and leads from owner to owner of the enclosing scopes, which
/// still exist.
///
/// @param site the body's class, or the frame of the spawn
/// @param length the length of the chain after it
/// @param cut whether the chain was truncated
record SpawnTrace(
    long id,
    @Nullable String name,
    Object site,
    @Nullable SpawnTrace spawner,
    int length,
    boolean cut)
    implements Origin {
  static final long MAIN = 1; // the first coroutine of its loop; it has no spawner

  // else coroutines that each spawn a successor and end would retain the whole chain
  static final int LONGEST = 64;

  static SpawnTrace of(long id, @Nullable String name, Object site, @Nullable SpawnTrace spawner) {
    if (spawner == null) {
      return new SpawnTrace(id, name, site, null, 0, false);
    }
    boolean cut = spawner.length == LONGEST;
    return new SpawnTrace(id, name, site, cut ? null : spawner, cut ? 0 : spawner.length + 1, cut);
  }

  @Override
  public String coroutine() {
    return label(id, name);
  }

  /// Number and name of a coroutine, as in its snapshot: [CoroutineSnapshot#label].
  static String label(long id, @Nullable String name) {
    return name == null ? "coroutine-" + id : "coroutine-" + id + " '" + name + "'";
  }

  @Override
  public @Nullable String spawnSite() {
    return id == MAIN ? null : SpawnSites.describe(site);
  }

  @Override
  public List<String> spawnedBy() {
    List<String> chain = new ArrayList<>();
    SpawnTrace last = this;
    for (SpawnTrace t = spawner; t != null; t = t.spawner) {
      chain.add(t.coroutine() + (t.id == MAIN ? "" : " spawned at " + t.spawnSite()));
      last = t;
    }
    if (last.cut) {
      chain.add("others (the last " + LONGEST + " at most are kept)");
    }
    return chain;
  }
}
