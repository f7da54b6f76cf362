// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.dns;

import org.jspecify.annotations.Nullable;

/// Offers resolvers to loops; found by the JDK's service loader.
public interface NameResolverProvider {
  /// The resolver of the current loop; null: it has none, or cannot be asked from here, and the
  /// system's is to be asked beside the loop. **Thread** the loop's: a coroutine mounted on it.
  @Nullable NameResolver current();
}
