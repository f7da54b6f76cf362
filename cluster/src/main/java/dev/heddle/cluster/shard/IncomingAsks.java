// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The requests that are here, and have no reply: those that entities have, and those of other
/// nodes that wait for one. Any thread.
final class IncomingAsks {
  /*
   * A request of another node is here from the time at which it comes. So one that is given up, or
   * whose session ends, before an entity has it, is not here when its turn comes, and is not given
   * to the entity. [EntityAsksTest]
   */

  /// The number contains the life of the node of origin.
  private record Ask(String origin, long number) {}

  /// Which entity has it.
  ///
  /// @param reply null when none has it: it waits for one
  private record Held(long entity, @Nullable CompletableFuture<@Nullable Object> reply) {}

  private final String self;
  private final ConcurrentMap<Ask, Held> open = new ConcurrentHashMap<>();

  /// @param self the name of this node
  IncomingAsks(String self) {
    this.self = self;
  }

  private static Ask of(EntityMessage message) {
    return new Ask(message.origin(), message.ask());
  }

  /// It has come, or another node has handed it over: it waits here for its entity.
  void arrived(EntityMessage message) {
    if (isOfOther(message)) {
      Held _ = open.putIfAbsent(of(message), new Held(0, null));
    }
  }

  private boolean isOfOther(EntityMessage message) {
    return message.ask() != 0 && !message.origin().equals(self);
  }

  /// It was given back, has failed or was handed over, which its asker is told.
  void gone(EntityMessage message) {
    if (isOfOther(message)) {
      Held _ = open.remove(of(message));
    }
  }

  /// Whether it is here.
  boolean has(String origin, long number) {
    return open.containsKey(new Ask(origin, number));
  }

  /// An entity has it. The thread that gives it to an entity that has just ended may be late: its
  /// successor has it then, and keeps it.
  ///
  /// @param entity its number, which grows
  void begun(EntityMessage message, long entity, CompletableFuture<@Nullable Object> reply) {
    Held it = new Held(entity, reply);
    Held now =
        isOfOther(message)
            ? open.computeIfPresent(of(message), (_, before) -> later(before, it))
            : open.merge(of(message), it, IncomingAsks::later);
    if (now == null) {
      reply.cancel(false); // given up meanwhile
    }
  }

  private static Held later(Held before, Held late) {
    return before.entity > late.entity ? before : late;
  }

  /// An entity has ended without taking it: it waits for the next one.
  void notTaken(EntityMessage message, CompletableFuture<@Nullable Object> reply) {
    Held waits = isOfOther(message) ? new Held(0, null) : null;
    Held _ = open.computeIfPresent(of(message), (_, held) -> held.reply == reply ? waits : held);
  }

  /// An entity has replied, and the reply was told.
  void replied(EntityMessage message) {
    Held _ = open.remove(of(message));
  }

  /// Its asker does not wait any more.
  void givenUp(String origin, long number) {
    Held held = open.remove(new Ask(origin, number));
    if (held != null && held.reply != null) {
      held.reply.cancel(false);
    }
  }

  /// The session with a node has ended: its requests have failed there, or will when that node asks
  /// whether they are here.
  ///
  /// @param later takes what is to be done without a lock
  void sessionEnded(String node, Consumer<Runnable> later) {
    open.forEach((ask, held) -> {
      if (ask.origin.equals(node) && open.remove(ask, held) && held.reply != null) {
        later.accept(() -> held.reply.cancel(false));
      }
    });
  }

  int size() {
    return open.size();
  }
}
