// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/// The bytes of the messages that this node holds, by the owner of their shards: all shards of an
/// owner that takes nothing share one limit. Any thread.
final class HeldBytes {
  /// A message that is held is there as the sender's object and as bytes, so 8 MiB of bytes are 16
  /// MiB of memory: with the outbox (4 MiB) and what a session has not acknowledged (2 MiB) less
  /// than 32 MiB. C9
  static final long MOST = 8L << 20;

  /// The owner of those shards that have none.
  static final String NOBODY = "";

  private final long most;
  private final ConcurrentMap<String, Long> byOwner = new ConcurrentHashMap<>();

  /// @param most for each owner
  HeldBytes(long most) {
    this.most = most;
  }

  /// More is held for an owner, or less.
  void add(String owner, long bytes) {
    var _ = byOwner.merge(owner, bytes, HeldBytes::sum);
  }

  /// Null for nothing: that owner is forgotten.
  private static @Nullable Long sum(Long before, Long more) {
    long sum = before + more;
    return sum == 0 ? null : sum;
  }

  /// Whether so much is held for an owner that no more is accepted.
  boolean isTooMuch(String owner) {
    return of(owner) > most;
  }

  /// Whether half of it is free, so that those who wait for space may go on.
  boolean hasRoom(String owner) {
    return of(owner) <= most / 2;
  }

  /// How much is held for an owner.
  long of(String owner) {
    return byOwner.getOrDefault(owner, 0L);
  }

  /// For how many owners something is held.
  int size() {
    return byOwner.size();
  }
}
