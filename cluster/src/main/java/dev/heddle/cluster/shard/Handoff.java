// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.roster.ShardState;
import dev.heddle.cluster.shard.ShardMessage.EndOfHandoff;
import dev.heddle.cluster.shard.ShardMessage.Failed;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.cluster.shard.ShardMessage.Forward;
import dev.heddle.cluster.shard.ShardMessage.HandedOver;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The messages that no entity of a generation has got, at the node that hands its shard over.
final class Handoff {
  /*
   * States.
   *
   * from     event                                       to       then
   * OPEN     in session with the successor               SENT     the messages, then the marker
   * OPEN     no session for 2 s                          same     the shard is released: the other
   *                                                               node begins without the messages
   * SENT     the session ends                            OPEN     all again in the next one: the
   *                                                               other node has dropped its part
   * OPEN,    the log names another successor             OPEN     the same for that one
   * SENT
   * SENT     the successor has taken it                  DONE
   * SENT     the successor had begun without it          DONE     the messages have failed
   * OPEN     a later generation than the successor's     DONE     the messages have failed
   * SENT     a later generation than the successor's     same     it answers nevertheless, or
   *                                                               the session ends
   *
   * The messages stay here until they are taken, and are never sent back: the other node may have
   * them.
   */
  private static final long REPEAT_NANOS = 1_000_000_000L;
  static final long GIVEN_UP_NANOS = 2_000_000_000L; // to open a session again

  final long generation;
  private final ShardPort port;
  private final List<EntityMessage> messages;
  private long next;
  private @Nullable String to;
  private boolean isSent;
  private boolean isDone;
  private long inSessionAt;
  private long releasedAt;
  private boolean hasReleased;

  Handoff(long generation, List<EntityMessage> messages, ShardPort port, long nanos) {
    this.generation = generation;
    this.messages = messages;
    this.port = port;
    this.inSessionAt = nanos;
  }

  boolean isDone() {
    return isDone;
  }

  /// Does what the log asks for.
  void progress(ShardState view, long nanos) {
    boolean isOwner = view.generation() == generation && view.owner() != null;
    if (isOwner) {
      direct(view, nanos);
    } else if (to == null || view.generation() != next) {
      if (!isSent || to == null || !port.isInSession(to)) { // else its answer is on its way
        fail();
      }
      return;
    }
    send(nanos);
    boolean isRefused = to != null && !isSent && nanos - inSessionAt >= GIVEN_UP_NANOS;
    boolean isDue = !hasReleased || nanos - releasedAt >= REPEAT_NANOS;
    if (isOwner && isDue && (isSent || isDone || isRefused)) {
      hasReleased = true;
      releasedAt = nanos;
      port.release(next);
    }
  }

  /// Follows the log to another successor.
  private void direct(ShardState view, long nanos) {
    String named = view.successor() == null ? null : view.successor().node();
    if (view.next() != next || to == null) {
      next = view.next();
      hasReleased = false;
      isSent = false;
      isDone = false; // the new one needs a marker, too
      to = named;
      inSessionAt = nanos;
    } else if (named == null) {
      to = null;
    }
  }

  private void send(long nanos) {
    if (to == null || isDone) {
      return;
    }
    if (port.isInSession(to)) {
      inSessionAt = nanos;
      if (!isSent) {
        messages.forEach(message -> port.post(to, new Forward(next, message)));
        port.post(to, new EndOfHandoff(next));
        isSent = true;
      }
    }
  }

  /// The successor has answered.
  void taken(String from, long answered, boolean isInTime) {
    if (answered != next || !from.equals(to) || isDone) {
      return;
    }
    if (isInTime) {
      for (EntityMessage message : messages) {
        if (message.ask() != 0) { // its sender waits for a reply of the successor
          port.post(message.origin(), new HandedOver(message, from, next));
        }
      }
      messages.clear();
    }
    isDone = true;
    fail();
  }

  void sessionEnded(String node) {
    if (node.equals(to)) {
      isSent = false;
    }
  }

  /// Nobody will take what is left.
  void fail() {
    isDone = true;
    for (EntityMessage message : messages) {
      port.post(message.origin(), new Failed(message, Failure.LOST));
    }
    messages.clear();
  }
}
