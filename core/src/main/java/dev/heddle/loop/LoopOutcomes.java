// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.SpawnSites;
import dev.heddle.event.source.UnobservedOutcomes;
import dev.heddle.internal.StackGuard;
import org.jspecify.annotations.Nullable;

/// The unobserved outcomes of a loop: finds call sites, and reports failures.
final class LoopOutcomes extends UnobservedOutcomes {
  // 3 us each. A program that makes a few promises learns the line of each; one that makes many
  // does not pay for what it hardly reads.
  private static final int WALKS = 1_000;

  private final FailureReporter reporter;

  // loop only
  private int walks;

  LoopOutcomes(FailureReporter reporter) {
    this.reporter = reporter;
  }

  @Override
  public Object callSite(@Nullable Object code) {
    if (code != null) {
      return SpawnSites.of(code.getClass());
    }
    if (walks < WALKS && StackGuard.hasAmpleRoom()) {
      walks++;
      return SpawnSites.caller();
    }
    CoroutineNode<?> current = CoroutineNode.currentOrNull();
    return current == null ? "unknown" : current.site();
  }

  @Override
  public String describe(Object site) {
    String where = SpawnSites.describe(site);
    return SpawnSites.isPlace(site) ? where : "an unknown line of a coroutine spawned at " + where;
  }

  @Override
  public void unobserved(String what, Throwable failure) {
    reporter.report(what, failure);
  }

  @Override
  protected void unused(String what) {
    reporter.warn(what);
  }
}
