// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import org.jspecify.annotations.Nullable;

/// Called when a descriptor becomes ready in one direction.
@FunctionalInterface
public interface ReadinessListener {
  /// The descriptor is ready or cannot be polled. Runs in a poll, or inside [Descriptor#arm] if the
  /// descriptor is already ready. Takes no lock, runs no user code, never throws.
  ///
  /// @param error why the descriptor cannot be polled; null: it is ready
  void onReady(@Nullable Throwable error);
}
