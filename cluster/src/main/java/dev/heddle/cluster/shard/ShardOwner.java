// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.roster.Holder;
import dev.heddle.cluster.roster.ShardState;
import dev.heddle.cluster.shard.ShardMessage.Bounced;
import dev.heddle.cluster.shard.ShardMessage.Deliver;
import dev.heddle.cluster.shard.ShardMessage.Failed;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.cluster.shard.ShardMessage.Flush;
import dev.heddle.cluster.shard.ShardMessage.Flushed;
import dev.heddle.cluster.shard.ShardMessage.Forward;
import dev.heddle.cluster.shard.ShardMessage.HandoffTaken;
import dev.heddle.cluster.shard.ShardMessage.Taken;
import dev.heddle.cluster.shard.ShardPort.EntityEnd;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One shard at a node that owns it, has owned it, or will.
final class ShardOwner {
  /*
   * States of a generation here.
   *
   * from     event                                     to       then
   * (none)   the log makes this node the owner         WAITING  messages are kept
   * WAITING  see below                                 ACTIVE   what was forwarded, then what was
   *                                                             kept, goes to entities
   * ACTIVE   the log says that the shard moves         ENDING   entities are asked to end
   * ENDING   the last entity has ended                 (none)   a Handoff has what is unread
   * any      the log, or a Flush, says that it is over (none)   entities end; what is unread is
   *                                                             bounced to its senders' nodes
   *
   * A generation becomes active when no entity of an earlier one runs here, and
   *   - nobody hands it over: the log says that the predecessor has ended, or there was none; or
   *   - all that the predecessor has forwarded is here: its marker has come; or
   *   - there is no session with the predecessor for 2 s. The log says that it has released the
   *     shard, so it does not act. What it forwards later is refused.
   *
   * What a node forwards stays its own until this node has its marker. So a session that ends in
   * between loses nothing: all is sent again in the next one, and the first part is dropped here.
   *
   * I1. At most one generation acts: the marker and the release follow the end of the entities, and
   *     a loss in the log follows the end of the lease. C6 [ShardSimulationTest]
   * I2. Nothing is accepted for a generation after its marker has left: it is bounced. So a node
   *     that has stopped sending and has the answer to its Flush has nothing here. C8
   *     [ShardSimulationTest]
   * I3. What is given up is told to the sender's node. C3 [ShardSimulationTest]
   * I4. The sender's node hears of each message that it has sent to a generation that it does not
   *     wait any more: entities have taken it, it has failed, is bounced, or the generation was
   *     flushed. [ShardSimulationTest]
   *
   * What entities have taken is told in portions, so that it costs little; and not while much that
   * was posted to that node waits there for space: so that node sends less.
   */
  private static final int PORTIONS = 16; // of a window
  private static final long TELL_NANOS = 100_000_000L; // the rest of a portion

  /// Numbers entities.
  interface Numbers {
    long next();
  }

  /// A message that came before the log has told of its generation.
  private record Early(String from, Deliver deliver) {}

  /// What a node has sent to a generation, within one session.
  private static final class Credit {
    final long number;
    final long generation;
    int count; // not told
    long bytes;

    Credit(long number, long generation) {
      this.number = number;
      this.generation = generation;
    }
  }

  /// What a predecessor has forwarded.
  private static final class Incoming {
    final long next;
    final String from;
    final List<EntityMessage> messages = new ArrayList<>();
    boolean isComplete;

    Incoming(long next, String from) {
      this.next = next;
      this.from = from;
    }
  }

  private final ShardPort port;
  private final Numbers numbers;
  private final ShardWindow window;
  private final Deque<Early> early = new ArrayDeque<>(0);
  private final List<Entities> old = new ArrayList<>(1); // over, and some still run
  private final Map<String, Long> flushes = new HashMap<>(2); // by node; answered when `old` is out
  private final Map<String, Credit> credits = new HashMap<>(2); // by node
  private long lastCredit;
  private boolean hasUntold; // perhaps
  private long toldAt;
  private ShardState view = ShardState.EMPTY;
  private long earlyBytes;
  private long over; // generations up to this one have ended, as other nodes have said

  // the generation of which this node is the owner
  private @Nullable Entities entities;
  private final List<EntityMessage> kept = new ArrayList<>(0); // while it waits
  private long keptBytes;
  private boolean isActive;
  private boolean isEnding;
  private long predecessorSeen;

  private @Nullable Handoff handoff;
  private @Nullable Incoming incoming;
  private long begun; // the last generation that became active here

  ShardOwner(ShardPort port, Numbers numbers, ShardWindow window) {
    this.port = port;
    this.numbers = numbers;
    this.window = window;
  }

  // ---- what the log says ----

  void view(ShardState changed, long nanos) {
    view = changed;
    Entities current = entities;
    if (current != null && current.generation != changed.generation()) {
      giveUp(current);
    } else if (current != null && !isOwner(changed)) {
      giveUp(current);
    }
    boolean isNew = handoff == null || handoff.generation != changed.generation();
    if (entities == null && isOwner(changed) && changed.generation() > over && isNew) {
      Holder self = Objects.requireNonNull(changed.owner());
      entities =
          new Entities(changed.generation(), self.admission(), port, numbers, this::waitsNoMore);
      isActive = false;
      isEnding = false;
      predecessorSeen = nanos;
    }
    dropPast();
    takeEarly(nanos);
    progress(nanos);
  }

  /// What was forwarded for a generation that never was this node's.
  private void dropPast() {
    Incoming known = incoming;
    if (known != null
        && known.next <= view.generation()
        && known.next != begun
        && !isWaitingFor(known.next)) {
      dropIncoming();
    }
  }

  private boolean isOwner(ShardState state) {
    return state.owner() != null && state.owner().node().equals(port.self());
  }

  private void takeEarly(long nanos) {
    for (int left = early.size(); left > 0; left--) {
      Early it = early.remove();
      earlyBytes -= it.deliver.message().bytes();
      deliver(it.from, it.deliver, nanos);
    }
  }

  /// The generation is over: nothing of it is handed over.
  private void giveUp(Entities current) {
    boolean wasActive = isActive;
    current.stop(EntityEnd.LOST);
    old.add(current);
    entities = null;
    if (!wasActive && incoming != null && incoming.next == current.generation) {
      if (incoming.isComplete) {
        bounce(current.generation, incoming.messages);
      }
      incoming = null;
    }
    bounce(current.generation, kept);
    kept.clear();
    keptBytes = 0;
    bounce(current.generation, current.takeLeft());
    dropOld();
  }

  private void bounce(long generation, List<EntityMessage> messages) {
    messages.forEach(message -> port.post(message.origin(), new Bounced(generation, message)));
  }

  private void dropOld() {
    old.removeIf(it -> !it.hasRunning());
    flushes
        .entrySet()
        .removeIf(flush -> {
          boolean isOut = old.stream().noneMatch(it -> it.generation <= flush.getValue());
          if (isOut) {
            port.post(flush.getKey(), new Flushed(flush.getValue()));
          }
          return isOut;
        });
  }

  // ---- messages ----

  /// A message has come for a generation.
  void deliver(String from, Deliver it, long nanos) {
    Entities current = entities;
    if (current != null && it.generation() == current.generation) {
      accept(current, it.message().withCredit(creditOf(from, it.generation())), nanos);
    } else if (it.generation() <= Math.max(view.generation(), over)) {
      giveBack(from, it, nanos);
    } else if (early.size() >= Shard.MOST || earlyBytes + it.message().bytes() > Shard.MOST_BYTES) {
      port.post(from, new Failed(it.message(), Failure.FULL));
    } else {
      early.add(new Early(from, it));
      earlyBytes += it.message().bytes();
    }
  }

  private long creditOf(String from, long generation) {
    Credit known = credits.get(from);
    if (known == null || known.generation != generation) {
      known = new Credit(++lastCredit, generation);
      credits.put(from, known);
    }
    return known.number;
  }

  /// An entity has taken a message.
  void taken(EntityMessage message) {
    waitsNoMore(message);
  }

  /// The mailbox of an entity has no space for a message.
  void refused(EntityMessage message) {
    waitsNoMore(message);
    port.post(message.origin(), new Failed(message, Failure.FULL));
  }

  private void waitsNoMore(EntityMessage message) {
    Credit credit = credits.get(message.origin());
    if (credit != null && credit.number == message.credit()) {
      credit.count++;
      credit.bytes += message.bytes();
      hasUntold = true;
      boolean isPortion =
          credit.count >= window.messages() / PORTIONS || credit.bytes >= window.bytes() / PORTIONS;
      if (isPortion) {
        tell(message.origin(), credit);
      }
    }
  }

  private void tell(String node, Credit credit) {
    if (credit.count != 0 && port.hasRoom(node)) {
      port.post(node, new Taken(credit.generation, credit.count, credit.bytes));
      credit.count = 0;
      credit.bytes = 0;
    }
    hasUntold |= credit.count != 0;
  }

  /// Behind what entities that still run have not taken.
  private void giveBack(String from, Deliver it, long nanos) {
    for (Entities ending : old) {
      if (ending.generation == it.generation()) {
        ending.accept(it.message(), nanos);
        bounce(it.generation(), ending.takeLeft());
        return;
      }
    }
    port.post(from, new Bounced(it.generation(), it.message()));
  }

  private void accept(Entities current, EntityMessage message, long nanos) {
    if (isActive) {
      current.accept(message, nanos);
    } else if (kept.size() >= Shard.MOST || keptBytes + message.bytes() > Shard.MOST_BYTES) {
      waitsNoMore(message);
      port.post(message.origin(), new Failed(message, Failure.FULL));
    } else {
      kept.add(message);
      keptBytes += message.bytes();
    }
  }

  /// A node sends no more for a generation.
  void flush(String from, Flush it, long nanos) {
    if (it.isOver()) {
      over = Math.max(over, it.generation());
      Entities current = entities;
      if (current != null && current.generation <= over) {
        giveUp(current);
      }
      takeEarly(nanos);
    }
    flushes.put(from, it.generation());
    dropOld();
  }

  /// An entity has ended.
  void entityEnded(long number, List<EntityMessage> unread, @Nullable String failure, long nanos) {
    Entities current = entities;
    if (current != null && current.ended(number, unread, failure, nanos)) {
      progress(nanos);
      return;
    }
    for (Entities it : old) {
      if (it.ended(number, unread, failure, nanos)) {
        bounce(it.generation, it.takeLeft());
      }
    }
    dropOld();
    progress(nanos);
  }

  // ---- from the predecessor ----

  void forward(String from, Forward it) {
    if (it.next() <= Math.max(view.generation(), begun) && !isWaitingFor(it.next())) {
      return; // refused as a whole when its end comes
    }
    Incoming known = incomingOf(from, it.next());
    if (known != null && !known.isComplete) {
      known.messages.add(it.message().withCredit(0));
    }
  }

  private boolean isWaitingFor(long generation) {
    return entities != null && entities.generation == generation && !isActive;
  }

  /// What a node hands over; null when it is for an earlier generation than what is known.
  private @Nullable Incoming incomingOf(String from, long next) {
    Incoming known = incoming;
    if (known != null && known.next == next && known.from.equals(from)) {
      return known;
    }
    if (known != null && known.next >= next) {
      return null;
    }
    dropIncoming();
    Incoming fresh = new Incoming(next, from);
    incoming = fresh;
    return fresh;
  }

  /// Another generation follows than the one that it was for.
  private void dropIncoming() {
    Incoming known = incoming;
    if (known != null && known.isComplete && known.next != begun) {
      known.messages.forEach(it -> port.post(it.origin(), new Failed(it, Failure.LOST)));
    }
    incoming = null;
  }

  void endOfHandoff(String from, long next, long nanos) {
    boolean isKnown = incoming != null && incoming.next == next && incoming.isComplete;
    boolean isPast = next <= Math.max(view.generation(), begun) && !isWaitingFor(next);
    Incoming known = isKnown || isPast ? incoming : incomingOf(from, next);
    if (known == null || known.next != next || (isPast && !isKnown)) {
      port.post(from, new HandoffTaken(next, false));
      return;
    }
    if (!known.isComplete) {
      known.isComplete = true;
      known.messages.forEach(port.incoming()::arrived); // before their senders hear of it
    }
    port.post(from, new HandoffTaken(next, true));
    progress(nanos);
  }

  void handoffTaken(String from, HandoffTaken it) {
    if (handoff != null) {
      handoff.taken(from, it.next(), it.isInTime());
    }
  }

  // ---- sessions and time ----

  void sessionEnded(String node) {
    if (incoming != null && incoming.from.equals(node) && !incoming.isComplete) {
      incoming = null; // it will come again as a whole
    }
    if (handoff != null) {
      handoff.sessionEnded(node);
    }
    flushes.remove(node);
    credits.remove(node); // that node counts anew in the next one
  }

  /// Does what can be done now.
  void progress(long nanos) {
    Entities current = entities;
    if (current != null && !isActive && mayBegin(current, nanos)) {
      begin(current, nanos);
    }
    if (current != null && isActive && view.isMoving() && !isEnding) {
      isEnding = true;
      current.stop(EntityEnd.MOVE);
    }
    if (current != null && isEnding && !current.hasRunning()) {
      entities = null;
      if (handoff != null) {
        handoff.fail();
      }
      handoff = new Handoff(current.generation, current.takeLeft(), port, nanos);
    }
    if (entities != null && isActive) {
      entities.progress(nanos);
    }
    if (handoff != null) {
      handoff.progress(view, nanos);
    }
    if (nanos - toldAt >= TELL_NANOS) {
      toldAt = nanos;
      hasUntold = false;
      credits.forEach(this::tell);
    }
  }

  private boolean mayBegin(Entities current, long nanos) {
    Holder predecessor = view.predecessor();
    if (predecessor == null || port.isInSession(predecessor.node())) {
      predecessorSeen = nanos;
    }
    boolean isHandedOver =
        predecessor == null
            || nanos - predecessorSeen >= Handoff.GIVEN_UP_NANOS
            || (incoming != null && incoming.next == current.generation && incoming.isComplete);
    return isHandedOver && old.isEmpty();
  }

  private void begin(Entities current, long nanos) {
    isActive = true;
    begun = current.generation;
    List<EntityMessage> first = new ArrayList<>();
    if (incoming != null && incoming.next == current.generation && incoming.isComplete) {
      first.addAll(incoming.messages);
      incoming.messages.clear(); // it stays: the marker may come again
    }
    first.addAll(kept);
    kept.clear();
    keptBytes = 0;
    first.forEach(message -> current.accept(message, nanos));
  }

  /// When to call [#progress], unless something happens before.
  ///
  /// @param never a time that does not come
  long due(long nanos, long never) {
    boolean moves = entities != null && (!isActive || isEnding);
    boolean handsOver =
        handoff != null && (!handoff.isDone() || handoff.generation == view.generation());
    if (moves || handsOver) {
      return nanos;
    }
    long due = hasUntold ? toldAt + TELL_NANOS : never;
    long ofEntities = entities == null ? never : entities.due(nanos, never);
    return ofEntities - due < 0 ? ofEntities : due;
  }

  /// The entities of the generation that this node owns; null when it owns none.
  @Nullable Entities entities() {
    return entities;
  }

  /// Whether nothing is kept here.
  boolean isQuiet() {
    return early.isEmpty()
        && old.isEmpty()
        && kept.isEmpty()
        && (handoff == null || handoff.isDone())
        && (entities == null || (isActive && !isEnding));
  }
}
