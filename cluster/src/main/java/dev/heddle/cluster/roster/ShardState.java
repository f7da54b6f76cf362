// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import org.jspecify.annotations.Nullable;

/// Who owns one shard, and who will.
///
/// @param generation of the ownership: the index of the entry that granted it; 0 before the first
/// @param owner null when nobody owns the shard
/// @param predecessor the node that has released the shard for this owner and hands it over; null
///   when there was none, or it has ended
/// @param next the generation that follows; 0 when the shard does not move
/// @param successor who gets it; null when it does not move, or when the node that was to get it
///   has ended
public record ShardState(
    long generation,
    @Nullable Holder owner,
    @Nullable Holder predecessor,
    long next,
    @Nullable Holder successor) {
  /// Nobody has ever owned it.
  public static final ShardState EMPTY = new ShardState(0, null, null, 0, null);

  /// Whether the owner is to hand it over.
  public boolean isMoving() {
    return next != 0;
  }

  /// The last generation that was granted, or is to follow.
  public long latest() {
    return Math.max(generation, next);
  }

  ShardState moving(long to, Holder named) {
    return new ShardState(generation, owner, predecessor, to, named);
  }

  /// The owner has released it, or has ended.
  ///
  /// @param handedOver by whom; null when that node has ended
  ShardState succeeded(@Nullable Holder handedOver) {
    return successor == null
        ? new ShardState(latest(), null, null, 0, null)
        : new ShardState(next, successor, handedOver, 0, null);
  }

  ShardState without(String node) {
    ShardState state = this;
    if (is(node, state.successor)) {
      state = new ShardState(generation, owner, predecessor, next, null);
    }
    if (is(node, state.predecessor)) {
      state = new ShardState(generation, owner, null, state.next, state.successor);
    }
    return is(node, state.owner) ? state.succeeded(null) : state;
  }

  private static boolean is(String node, @Nullable Holder holder) {
    return holder != null && holder.node().equals(node);
  }
}
