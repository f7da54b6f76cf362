// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

/// A message on its way into an entity.
final class Delivery {
  final EntityMessage message;
  private volatile boolean taken; // by the entity's step; read when the entity has ended

  Delivery(EntityMessage message) {
    this.message = message;
  }

  void take() {
    taken = true;
  }

  /// Whether a step of the entity has got it.
  boolean isTaken() {
    return taken;
  }
}
