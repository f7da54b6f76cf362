// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import org.jspecify.annotations.Nullable;

/// One of the places of a [Pool], and the resource in it.
///
/// **Thread** the loop's.
final class Pooled<R> {
  @Nullable R resource; // null: not created yet, or destroyed
  long createdAt;
  long idleSince;
  int generation; // of the pool, when the factory was called

  /// Takes over the resource of another place, which is empty then.
  void moveFrom(Pooled<R> other) {
    resource = other.resource;
    createdAt = other.createdAt;
    idleSince = other.idleSince;
    generation = other.generation;
    other.resource = null;
  }
}
