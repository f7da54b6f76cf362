// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.NotDeliveredException;
import dev.heddle.cluster.NotDeliveredException.Why;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The requests of this node to entities that have no answer yet. Any thread.
///
/// Their numbers contain the life of the node: an answer to a request of an earlier life is that of
/// none. Each has a time after which it fails, whatever has become of it.
final class EntityAsks {
  private static final class Ask {
    final CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    final long deadline;
    volatile @Nullable String at; // the node that has it; null while it is held here

    Ask(long deadline) {
      this.deadline = deadline;
    }
  }

  /// Tells a node that a reply is not wanted any more.
  interface GiveUp {
    /// Tells it.
    ///
    /// @param at the node that the request was sent to; null when it was sent to none
    void to(@Nullable String at, long number);
  }

  private final GiveUp giveUp;
  private final long first;
  private final AtomicLong last = new AtomicLong();
  private final ConcurrentMap<Long, Ask> open = new ConcurrentHashMap<>();

  /// @param life of this node
  EntityAsks(int life, GiveUp giveUp) {
    this.giveUp = giveUp;
    this.first = (long) life << Integer.SIZE;
  }

  /// A new request.
  ///
  /// @param deadline of the clock of [#due]
  /// @return its number, never 0
  long begin(long deadline) {
    long number = first | (last.incrementAndGet() & 0xffff_ffffL);
    open.put(number, new Ask(deadline));
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

  /// A node has it now.
  ///
  /// @param to null when it is held here
  void sent(long number, @Nullable String to) {
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
        lost(number, node);
      }
    });
  }

  /// The node that has it is out of touch.
  void lost(long number, String node) {
    fail(
        number,
        new NotDeliveredException(
            "the connection to node '%s' was lost; the entity may have got the request"
                .formatted(node),
            Why.LOST));
  }

  /// Fails those whose time is over, and gives them up.
  void due(long nanos) {
    open.forEach((number, ask) -> {
      if (nanos - ask.deadline >= 0) {
        ask.answer.completeExceptionally(
            new NotDeliveredException(
                "there was no reply in time; the entity may have got the request", Why.LOST));
      }
    });
  }

  /// Fails all.
  void close(String why) {
    open.forEach((number, _) -> fail(number, new NotDeliveredException(why, Why.LOST)));
  }

  int size() {
    return open.size();
  }
}
