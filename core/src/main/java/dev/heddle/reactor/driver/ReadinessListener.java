// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import org.jspecify.annotations.Nullable;

/// Waits for a descriptor to become ready in one direction.
@FunctionalInterface
public interface ReadinessListener {
  /// The descriptor is ready, or cannot be watched. Runs in a tick, or inside [Descriptor#arm] when
  /// the descriptor is ready already. Takes no lock, runs no user code, throws nothing.
  ///
  /// @param error why the descriptor cannot be watched; null: it is ready
  void onReady(@Nullable Throwable error);
}
