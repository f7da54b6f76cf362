// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.failure.Origin;
import dev.heddle.observe.CoroutineSnapshot;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Where a coroutine was spawned, and the same of whoever spawned it: the asynchronous trace. Holds
/// names and sites only, no coroutine.
///
/// With exact sites it is made at the spawn and leads from spawner to spawner. Else it is made when
/// a coroutine fails, and leads from owner to owner of the scopes around it, who are all still
/// there.
///
/// @param site the body's class, or the frame of the spawn
/// @param length of the chain behind it
/// @param cut whether the chain was longer than is kept
record SpawnTrace(
    long id,
    @Nullable String name,
    Object site,
    @Nullable SpawnTrace spawner,
    int length,
    boolean cut)
    implements Origin {
  static final long MAIN = 1; // the first of its loop, and nobody's

  // coroutines that spawn their successor and end would else keep the trace of all before them
  static final int LONGEST = 64;

  /// The trace of a coroutine whose spawner has `spawner`.
  static SpawnTrace of(long id, @Nullable String name, Object site, @Nullable SpawnTrace spawner) {
    if (spawner == null) {
      return new SpawnTrace(id, name, site, null, 0, false);
    }
    boolean cut = spawner.length == LONGEST;
    return new SpawnTrace(id, name, site, cut ? null : spawner, cut ? 0 : spawner.length + 1, cut);
  }

  /// Number and name, as everywhere.
  static String label(long id, @Nullable String name) {
    return CoroutineSnapshot.label(id, name);
  }

  @Override
  public String coroutine() {
    return label(id, name);
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
