// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.dns;

import org.jspecify.annotations.Nullable;

/// Provides resolvers to loops; found by the JDK's service loader.
public interface NameResolverProvider {
  /// The resolver of the current loop; null if it has none or the coroutine cannot suspend: the
  /// system's resolver is then used on a worker thread. **Thread** the carrier, in a mounted
  /// coroutine.
  @Nullable NameResolver current();
}
