// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/// The requests that entities here have, and have not answered. Any thread.
final class IncomingAsks {
  /// The number contains the life of the node of origin.
  private record Ask(String origin, long number) {}

  private final ConcurrentMap<Ask, CompletableFuture<@Nullable Object>> open =
      new ConcurrentHashMap<>();

  private static Ask of(EntityMessage message) {
    return new Ask(message.origin(), message.ask());
  }

  void begun(EntityMessage message, CompletableFuture<@Nullable Object> reply) {
    open.put(of(message), reply);
  }

  /// An entity has ended without taking it.
  void notTaken(EntityMessage message, CompletableFuture<@Nullable Object> reply) {
    boolean _ = open.remove(of(message), reply);
  }

  /// An entity has replied.
  ///
  /// @return false when the reply is not wanted any more
  boolean replied(EntityMessage message) {
    return open.remove(of(message)) != null;
  }

  /// Its asker does not wait any more.
  void givenUp(String origin, long number) {
    CompletableFuture<@Nullable Object> reply = open.remove(new Ask(origin, number));
    if (reply != null) {
      reply.cancel(false);
    }
  }

  /// The session with a node has ended: its requests have failed there.
  void sessionEnded(String node) {
    open.keySet()
        .forEach(ask -> {
          if (ask.origin.equals(node)) {
            givenUp(node, ask.number);
          }
        });
  }

  int size() {
    return open.size();
  }
}
