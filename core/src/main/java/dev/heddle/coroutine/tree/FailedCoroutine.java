// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.failure.FailureTable.Origin;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a report says about the coroutine that has failed. Holds names and sites only, no
/// coroutines.
record FailedCoroutine(long id, @Nullable String name, SpawnTrace trace) implements Origin {
  /// A coroutine whose site is only a class counts as spawned by the owner of its scope.
  static FailedCoroutine of(CoroutineNode<?> failed) {
    SpawnTrace trace = SpawnSites.trace(failed.site);
    return new FailedCoroutine(
        failed.id,
        failed.givenName(),
        trace == null
            ? spawnedBy(failed.memberOf().owner(), SpawnSites.describe(failed.site))
            : trace);
  }

  private static SpawnTrace spawnedBy(@Nullable CoroutineNode<?> owner, String site) {
    return owner == null ? SpawnTrace.of(site) : owner.spawnsAt(site);
  }

  @Override
  public String coroutine() {
    return SpawnTrace.label(id, name);
  }

  @Override
  public @Nullable String spawnSite() {
    return id == SpawnTrace.MAIN ? null : SpawnSites.describe(trace);
  }

  @Override
  public List<String> spawnedBy() {
    List<String> chain = new ArrayList<>();
    SpawnTrace next = trace;
    while (next != null && next.spawner() != SpawnTrace.NONE) {
      chain.add(spawnerOf(next));
      if (next.cut()) {
        chain.add("others (the last " + SpawnTrace.LONGEST + " at most are kept)");
      }
      next = next.spawnerSite() instanceof SpawnTrace further ? further : null;
    }
    return chain;
  }

  private static String spawnerOf(SpawnTrace trace) {
    String label = SpawnTrace.label(trace.spawner(), trace.spawnerName());
    Object site = trace.spawnerSite();
    return trace.spawner() == SpawnTrace.MAIN || site == null
        ? label
        : label + " spawned at " + SpawnSites.describe(site);
  }
}
