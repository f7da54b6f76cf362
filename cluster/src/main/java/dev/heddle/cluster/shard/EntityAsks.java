// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.NotDeliveredException;
import dev.heddle.cluster.NotDeliveredException.Why;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The requests of this node to entities that have no answer yet. Any thread; what says where a
/// request is, is called under the lock of its shard.
///
/// Their numbers contain the life of the node: an answer to a request of an earlier life is that of
/// none. Each has a time after which it fails, whatever has become of it.
final class EntityAsks {
  /*
   * Where a request is.
   *
   * from      event                                    to        by
   * HELD      it has left for a node                   AT        the sender, after it was accepted
   * AT        that node gives it back                  HELD      the sender
   * AT        that node has handed it over             AT        the shard: the next node is asked
   *                                                              whether it has it (ReplyWanted)
   * AT        the next node has not got it (NotHere)   failed    the shard
   * AT        the session with that node ends          failed    the service
   * HELD, AT  answer, failure, time over, given up     over      any thread
   *
   * All but the last two rows happen under the lock of the shard. At the end of a session each
   * shard learns of it under its lock, then the requests that are at that node fail, and only then
   * the next session opens for the shards (ShardService). So a name says enough: what is at a node,
   * is there in the session that is open.
   *
   * I1. A request that nobody will answer fails at once. C5 [ShardSessionEndsTest,
   *     ShardSimulationTest]
   *
   * Why the next node is asked. A request that was handed over is answered in the session that the
   * next node has with this one by then. This node may learn of the hand-over when that session has
   * ended here, or even before it knew of that end: then the reply was lost, or the request was
   * given up with the session, and no session that is open now will end because of it. The
   * question and its answer travel in one session, behind what was said before in it.
   *
   * What is decided under a lock is told without it: completing a future calls the program.
   */
  private static final class Ask {
    final CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    final long deadline;
    volatile @Nullable String at; // the node that has it; null while it is held here
    long generation; // at that node; under the lock of the shard

    Ask(long deadline) {
      this.deadline = deadline;
    }
  }

  private record Deadline(long nanos, long number) implements Comparable<Deadline> {
    @Override
    public int compareTo(Deadline other) {
      int order = Long.signum(nanos - other.nanos);
      return order != 0 ? order : Long.compare(number, other.number);
    }
  }

  /// Tells a node that a reply is not wanted any more.
  interface GiveUp {
    /// Tells it.
    ///
    /// @param at the node that the request was sent to; null when it was sent to none
    void to(@Nullable String at, long number);
  }

  private static final long OF_LIFE = -1L << Integer.SIZE;

  private final GiveUp giveUp;
  private final Consumer<Runnable> later;
  private final long first;
  private final AtomicLong last = new AtomicLong();
  private final ConcurrentMap<Long, Ask> open = new ConcurrentHashMap<>();
  private final NavigableSet<Deadline> deadlines = new ConcurrentSkipListSet<>(); // of those
  private long looked; // of due(): at so many of them
  private volatile @Nullable String closed; // why all fail

  /// @param life of this node
  /// @param later takes what is to be done without a lock
  EntityAsks(int life, GiveUp giveUp, Consumer<Runnable> later) {
    this.giveUp = giveUp;
    this.later = later;
    this.first = (long) life << Integer.SIZE;
  }

  /// A new request.
  ///
  /// @param deadline of the clock of [#due]
  /// @return its number, never 0
  long begin(long deadline) {
    long number = first | (last.incrementAndGet() & 0xffff_ffffL);
    open.put(number, new Ask(deadline));
    deadlines.add(new Deadline(deadline, number));
    String why = closed;
    if (why != null) { // perhaps after the last look at all
      fail(number, lost(why));
    }
    return number;
  }

  /// Its answer. To cancel it gives up.
  CompletableFuture<@Nullable Object> answer(long number) {
    Ask ask = open.get(number);
    if (ask == null) {
      return CompletableFuture.failedFuture(lost(Objects.requireNonNull(closed, "just begun")));
    }
    var _ =
        ask.answer.handle((_, _) -> { // a failure is made once: nobody has this stage
          if (remove(number) != null) { // else it has its answer
            giveUp.to(ask.at, number);
          }
          return true;
        });
    return ask.answer;
  }

  /// It has left for a node, or has come to an entity of this one.
  ///
  /// @param generation that it was sent to
  void sent(long number, String to, long generation) {
    Ask ask = open.get(number);
    if (ask != null) {
      ask.generation = generation;
      ask.at = to;
    }
    if (number != 0 && !open.containsKey(number)) { // given up meanwhile: no node was told
      later.accept(() -> giveUp.to(to, number));
    }
  }

  /// Whether its asker still waits.
  boolean isOpen(long number) {
    return open.containsKey(number);
  }

  /// Whether a node has it.
  boolean isSent(long number) {
    Ask ask = open.get(number);
    return ask != null && ask.at != null;
  }

  /// It is held here again.
  void held(long number) {
    Ask ask = open.get(number);
    if (ask != null) {
      ask.at = null;
    }
  }

  /// The node that had it has handed it over. Words of several nodes may come in any order: the
  /// latest generation counts.
  ///
  /// @return whether it is open, and is there now
  boolean handedOver(long number, String to, long generation) {
    Ask ask = open.get(number);
    if (ask != null && generation <= ask.generation) {
      return false;
    }
    if (ask != null) {
      ask.generation = generation;
      ask.at = to;
    }
    if (open.containsKey(number)) {
      return true;
    }
    if ((number & OF_LIFE) == first) { // over, and the node that was told of it had it no more
      later.accept(() -> giveUp.to(to, number));
    }
    return false;
  }

  /// A node says that it has not got it.
  void notAt(long number, String node) {
    Ask ask = open.get(number);
    if (ask != null && node.equals(ask.at)) {
      lost(number, node);
    }
  }

  private @Nullable Ask remove(long number) {
    Ask ask = open.remove(number);
    if (ask != null) {
      deadlines.remove(new Deadline(ask.deadline, number));
    }
    return ask;
  }

  /// Without a lock.
  void complete(long number, @Nullable Object result) {
    Ask ask = remove(number);
    if (ask != null) {
      ask.answer.complete(result);
    }
  }

  /// Without a lock.
  void fail(long number, Throwable failure) {
    Ask ask = remove(number);
    if (ask != null) {
      ask.answer.completeExceptionally(failure);
    }
  }

  /// As [#fail], also under a lock.
  void failLater(long number, Throwable failure) {
    Ask ask = remove(number);
    if (ask != null) {
      later.accept(() -> ask.answer.completeExceptionally(failure));
    }
  }

  /// A session has ended, and all shards know it: what was sent in it may not be answered.
  void sessionEnded(String node) {
    open.forEach((number, ask) -> {
      if (node.equals(ask.at)) {
        lost(number, node);
      }
    });
  }

  /// The node that has it is out of touch.
  void lost(long number, String node) {
    failLater(
        number,
        new NotDeliveredException(
            "the connection to node '%s' was lost; the entity may have got the request"
                .formatted(node),
            Why.LOST));
  }

  /// Fails those whose time is over, and gives them up. Called by one thread.
  void due(long nanos) {
    for (Deadline next : deadlines) {
      looked++;
      if (next.nanos - nanos > 0) {
        return;
      }
      Ask ask = open.get(next.number);
      if (ask != null) {
        ask.answer.completeExceptionally(
            new NotDeliveredException(
                "there was no reply in time; the entity may have got the request", Why.LOST));
      }
    }
  }

  /// At how many [#due] has looked.
  long looked() {
    return looked;
  }

  /// Fails all.
  void close(String why) {
    closed = why;
    open.forEach((number, _) -> fail(number, lost(why)));
  }

  private static NotDeliveredException lost(String why) {
    return new NotDeliveredException(why, Why.LOST);
  }

  int size() {
    return open.size();
  }
}
