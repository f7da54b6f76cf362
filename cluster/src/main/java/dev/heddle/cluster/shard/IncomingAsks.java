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

  /// Which entity has it.
  private record Held(long entity, CompletableFuture<@Nullable Object> reply) {}

  private final ConcurrentMap<Ask, Held> open = new ConcurrentHashMap<>();

  private static Ask of(EntityMessage message) {
    return new Ask(message.origin(), message.ask());
  }

  /// An entity has it. The thread that gives it to an entity that has just ended may be late: its
  /// successor has it then, and keeps it.
  ///
  /// @param entity its number, which grows
  void begun(EntityMessage message, long entity, CompletableFuture<@Nullable Object> reply) {
    Held _ =
        open.merge(
            of(message),
            new Held(entity, reply),
            (before, late) -> before.entity > late.entity ? before : late);
  }

  /// An entity has ended without taking it.
  void notTaken(EntityMessage message, CompletableFuture<@Nullable Object> reply) {
    Held _ = open.computeIfPresent(of(message), (_, held) -> held.reply == reply ? null : held);
  }

  /// An entity has replied.
  ///
  /// @return false when the reply is not wanted any more
  boolean replied(EntityMessage message) {
    return open.remove(of(message)) != null;
  }

  /// Its asker does not wait any more.
  void givenUp(String origin, long number) {
    Held held = open.remove(new Ask(origin, number));
    if (held != null) {
      held.reply.cancel(false);
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
