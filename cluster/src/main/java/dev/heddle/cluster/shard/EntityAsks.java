// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The requests of this node to entities that have no answer yet. Any thread.
final class EntityAsks {
  private static final class Ask {
    final CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    volatile @Nullable String at; // the node it was sent to
  }

  /// Tells a node that a reply is not wanted any more.
  interface GiveUp {
    /// Tells it.
    ///
    /// @param at the node that the request was sent to; null when it was sent to none
    void to(@Nullable String at, long number);
  }

  private final GiveUp giveUp;
  private final AtomicLong last = new AtomicLong();
  private final ConcurrentMap<Long, Ask> open = new ConcurrentHashMap<>();

  EntityAsks(GiveUp giveUp) {
    this.giveUp = giveUp;
  }

  /// A new request, with a number from 1.
  long begin() {
    long number = last.incrementAndGet();
    open.put(number, new Ask());
    return number;
  }

  /// Its answer. To cancel it gives up.
  CompletableFuture<@Nullable Object> answer(long number) {
    Ask ask = Objects.requireNonNull(open.get(number), "it has just begun");
    var _ =
        ask.answer.whenComplete((_, _) -> {
          if (open.remove(number) != null) { // else it has its answer
            giveUp.to(ask.at, number);
          }
        });
    return ask.answer;
  }

  void sent(long number, String to) {
    Ask ask = open.get(number);
    if (ask != null) {
      ask.at = to;
    }
  }

  void complete(long number, @Nullable Object result) {
    Ask ask = open.remove(number);
    if (ask != null) {
      ask.answer.complete(result);
    }
  }

  void fail(long number, Throwable failure) {
    Ask ask = open.remove(number);
    if (ask != null) {
      ask.answer.completeExceptionally(failure);
    }
  }

  /// A session has ended: what was sent in it may not be answered.
  void sessionEnded(String node) {
    open.forEach((number, ask) -> {
      if (node.equals(ask.at)) {
        fail(
            number,
            NotDeliveredException.lost(
                "the connection to node '%s' was lost; the entity may have got the request"
                    .formatted(node)));
      }
    });
  }

  int size() {
    return open.size();
  }
}
