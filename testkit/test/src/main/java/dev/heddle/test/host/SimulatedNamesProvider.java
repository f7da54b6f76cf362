// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.host;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.dns.NameResolver;
import dev.heddle.io.dns.NameResolverProvider;
import org.jspecify.annotations.Nullable;

/// Provides the names of a simulated network to the loops on its hosts.
public final class SimulatedNamesProvider implements NameResolverProvider {
  /// For the JDK's service loader.
  public SimulatedNamesProvider() {}

  @Override
  public @Nullable NameResolver current() {
    CoroutineNode<?> self = CoroutineNode.onLoopOrNull();
    return self != null && self.scheduler().reactor().driver() instanceof HostDriver driver
        ? driver.names()
        : null;
  }
}
