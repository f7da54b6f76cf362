// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.roster.Holder;
import dev.heddle.cluster.roster.ShardState;
import dev.heddle.cluster.shard.ShardMessage.Bounced;
import dev.heddle.cluster.shard.ShardMessage.Deliver;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.cluster.shard.ShardMessage.Flush;
import dev.heddle.process.SendResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What this node sends to one shard.
final class ShardSender {
  /*
   * States, by the route (owner and generation) to which the last messages went:
   *
   * from      event                               to        then
   * NONE      the log names an owner in session   ROUTED    what is held is sent
   * ROUTED    the shard moves, or has another     FLUSHING  messages are held; Flush
   *           owner, or a message is bounced
   * FLUSHING  Flushed                             NONE      what was bounced goes before what was
   *                                                         held
   * ROUTED,   the session with the owner ends     NONE      what was on its way ended with it
   * FLUSHING
   * NONE      the owner is out of touch for 2 s     NONE      what is held has failed
   *
   * I1. To a new owner nothing is sent before the old one has said that nothing of this node is on
   *     its way to it or waits there: it is delivered, bounced, or goes before the end of the
   *     hand-off, for which the new owner waits. So the order of each sender is kept. C8.
   *     [ShardSimulationTest]
   * I2. A message is sent once more only when its last receiver says that no entity has got it.
   *     [ShardSimulationTest]
   *
   * The window. At most 1,000 messages, or 1 MiB, are held here, on their way, or wait at the owner
   * for their entities: `sent` counts those that have left, until the owner says that they do not
   * wait any more. A Flushed and the end of a session say it of all.
   *
   * The limit of the owner. What is held here counts for the owner that the log names, with all
   * other shards of that owner (HeldBytes): a message that would be held above that is refused. One
   * that leaves at once does not count. What comes back from an owner was accepted, and is held
   * whatever the limit.
   *
   * I3. A message is refused only because of the window or of that limit, or without a session; one
   *     that finds the connection full is held. [ShardTest, StalledOwnerTest]
   */
  private record Route(String node, long generation) {}

  private final ShardPort port;
  private final ShardWindow window;
  private final Deque<EntityMessage> held = new ArrayDeque<>();
  private final List<EntityMessage> bounced = new ArrayList<>(0); // older than all that is held
  private long heldBytes; // bounced ones too
  private long counted; // of those, in port.held(), for `countedFor`
  private String countedFor = HeldBytes.NOBODY;
  private int sent;
  private long sentBytes;
  private ShardState view = ShardState.EMPTY;
  private @Nullable Route sentTo;
  private boolean isFlushing;
  private long inTouchAt; // with the owner, or there was none
  private long over; // generations up to this one have bounced something

  ShardSender(ShardPort port, ShardWindow window) {
    this.port = port;
    this.window = window;
  }

  /// Sends a message, or holds it while its shard has no owner to send to.
  SendResult offer(EntityMessage message, long nanos) {
    progress(nanos);
    Route target = target();
    if (held.isEmpty() && sentTo == null && target != null) {
      return SendResult.UNREACHABLE; // no session with the owner
    }
    long bytes = heldBytes + sentBytes;
    boolean isTooMuch = bytes > window.bytes() / 2 && bytes + message.bytes() > window.bytes();
    if (size() + sent >= window.messages() || isTooMuch) {
      return SendResult.FULL;
    }
    held.add(message);
    heldBytes += message.bytes();
    sendHeld(target);
    count();
    if (!held.isEmpty() && port.held().isTooMuch(countedFor)) {
      held.removeLast();
      heldBytes -= message.bytes();
      count();
      return SendResult.FULL;
    }
    return SendResult.ACCEPTED;
  }

  /// Has this node know what is held here, and for whom.
  private void count() {
    Holder owner = view.owner();
    String now = owner == null ? HeldBytes.NOBODY : owner.node();
    if (counted != 0 && !now.equals(countedFor)) {
      port.held().add(countedFor, -counted);
      counted = 0;
    }
    countedFor = now;
    if (heldBytes != counted) {
      port.held().add(now, heldBytes - counted);
      counted = heldBytes;
    }
  }

  /// Whether half of the window is free, so that those who wait for space may go on: then a message
  /// of any size is accepted.
  boolean hasRoom() {
    return size() + sent <= window.messages() / 2
        && heldBytes + sentBytes <= window.bytes() / 2
        && port.held().hasRoom(countedFor);
  }

  /// Where messages may be sent now; null when they are held.
  private @Nullable Route target() {
    Holder owner = view.owner();
    return owner == null || view.isMoving() || view.generation() <= over
        ? null
        : new Route(owner.node(), view.generation());
  }

  void view(ShardState changed) {
    view = changed;
  }

  /// An owner gives a message back.
  void bounced(String from, Bounced it) {
    if (!new Route(from, it.generation()).equals(sentTo)) {
      port.failed(it.message(), Failure.LOST, null); // it would come after later ones
      return;
    }
    over = Math.max(over, it.generation());
    forget(1, it.message().bytes());
    port.asks().held(it.message().ask());
    bounced.add(it.message());
    heldBytes += it.message().bytes();
  }

  /// An owner says what does not wait there any more.
  void taken(String from, ShardMessage.Taken it) {
    if (new Route(from, it.generation()).equals(sentTo)) {
      forget(it.count(), it.bytes());
    }
  }

  private void forget(int count, long bytes) {
    sent = Math.max(0, sent - count);
    sentBytes = Math.max(0, sentBytes - bytes);
  }

  /// An owner has nothing of this node any more.
  void flushed(String from, long generation) {
    if (isFlushing && new Route(from, generation).equals(sentTo)) {
      forget();
    }
  }

  /// A session has ended.
  void sessionEnded(String node) {
    if (sentTo != null && sentTo.node.equals(node)) {
      forget();
    }
  }

  private void forget() {
    sentTo = null;
    isFlushing = false;
    sent = 0;
    sentBytes = 0;
    bounced.reversed().forEach(held::addFirst);
    bounced.clear();
  }

  /// What is held is not sent any more.
  void refuse() {
    forget();
    failHeld(Failure.REFUSED);
    count();
  }

  private void failHeld(Failure why) {
    held.forEach(message -> port.failed(message, why, null));
    held.clear();
    heldBytes = 0;
  }

  /// Does what can be done now.
  void progress(long nanos) {
    Route target = target();
    if (sentTo != null && !sentTo.equals(target)) {
      flush(sentTo);
    }
    boolean isInTouch = target == null || port.isInSession(target.node);
    if (sentTo == null && target != null && isInTouch) {
      sentTo = target;
    }
    if (isInTouch) {
      inTouchAt = nanos;
    } else if (sentTo == null && nanos - inTouchAt >= Handoff.GIVEN_UP_NANOS) {
      failHeld(Failure.REFUSED); // as what is offered now
    }
    sendHeld(target);
    count();
  }

  private void sendHeld(@Nullable Route target) {
    while (!held.isEmpty() && target != null && target.equals(sentTo) && !isFlushing) {
      EntityMessage first = held.element();
      if (first.ask() != 0 && !port.asks().isOpen(first.ask())) {
        held.remove(); // given up
        heldBytes -= first.bytes();
        continue;
      }
      if (!port.send(target.node, new Deliver(target.generation, first)).isAccepted()) {
        return;
      }
      port.asks().sent(first.ask(), target.node, target.generation);
      held.remove();
      heldBytes -= first.bytes();
      sent++;
      sentBytes += first.bytes();
    }
  }

  private void flush(Route last) {
    if (!port.isInSession(last.node)) {
      forget();
    } else if (!isFlushing) {
      isFlushing = true;
      boolean isOver = view.generation() > last.generation || view.owner() == null;
      port.post(last.node, new Flush(last.generation, isOver));
    }
  }

  /// How many messages have left and may wait at the owner.
  int sent() {
    return sent;
  }

  /// How many messages are held here.
  int size() {
    return held.size() + bounced.size();
  }
}
