// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import java.util.function.Consumer;

/// A message on its way into an entity, which takes it, or whose mailbox refuses it.
final class Delivery {
  final EntityMessage message;
  private final Consumer<Delivery> onTaken;
  private volatile boolean taken; // by the entity's step; read when the entity has ended
  private volatile boolean refused; // by its mailbox, which others have filled

  /// @param onTaken called by the step of the entity
  Delivery(EntityMessage message, Consumer<Delivery> onTaken) {
    this.message = message;
    this.onTaken = onTaken;
  }

  void take() {
    taken = true;
    onTaken.accept(this);
  }

  void refuse() {
    refused = true;
  }

  /// Whether the mailbox of the entity had no space for it.
  boolean isRefused() {
    return refused;
  }

  /// Whether a step of the entity has got it.
  boolean isTaken() {
    return taken;
  }
}
