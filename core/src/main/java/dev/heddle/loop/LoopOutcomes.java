// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.SpawnSites;
import dev.heddle.event.source.UnobservedOutcomes;
import org.jspecify.annotations.Nullable;

/// The unobserved outcomes of a loop: finds call sites, and reports failures.
final class LoopOutcomes extends UnobservedOutcomes {
  private final FailureReporter reporter;
  private final boolean exact;

  LoopOutcomes(FailureReporter reporter, boolean exact) {
    this.reporter = reporter;
    this.exact = exact;
  }

  @Override
  public Object callSite(@Nullable Object code) {
    if (exact) {
      return SpawnSites.caller();
    }
    if (code != null) {
      return code.getClass();
    }
    CoroutineNode<?> current = CoroutineNode.currentOrNull();
    return current == null ? "unknown" : current.site();
  }

  @Override
  public String describe(Object site) {
    return SpawnSites.describe(site);
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
