// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.observe;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/// The events of clusters in a flight recording. Loading an event class starts the recorder, so
/// call nothing here while [#areRecorded()] is false. Any thread; nothing here waits.
public final class ClusterJfrEvents {
  private ClusterJfrEvents() {}

  /// Whether a recording has been started in this JVM.
  public static boolean areRecorded() {
    return Presence.MODULE && FlightRecorder.isInitialized();
  }

  private static final class Presence {
    static final boolean MODULE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
  }

  /// Two nodes in touch, as an event names them.
  ///
  /// @param node this one
  /// @param other the other one
  /// @param life of the other one
  public record Pair(String node, String other, int life) {}

  public static void opened(Pair pair) {
    SessionOpened event = new SessionOpened();
    if (event.shouldCommit()) {
      event.node = pair.node();
      event.other = pair.other();
      event.life = pair.life();
      event.commit();
    }
  }

  /// Records that a session has ended.
  ///
  /// @param cause one of the causes of an ending, in capital letters
  public static void ended(Pair pair, String cause, String reason) {
    SessionEnded event = new SessionEnded();
    if (event.shouldCommit()) {
      event.node = pair.node();
      event.other = pair.other();
      event.life = pair.life();
      event.cause = cause;
      event.reason = reason;
      event.commit();
    }
  }

  /// Records that messages were not accepted.
  ///
  /// @param refusedBy the node of the receiver
  /// @param receiver a PID, or the entry of a start
  /// @param reason a `SendResult`, or `START_REFUSED`, `ORDERS_REFUSED`
  public static void refused(
      Pair pair, String refusedBy, String receiver, String reason, long count) {
    MessageRefused event = new MessageRefused();
    if (event.shouldCommit()) {
      event.node = pair.node();
      event.other = pair.other();
      event.refusedBy = refusedBy;
      event.receiver = receiver;
      event.reason = reason;
      event.count = count;
      event.commit();
    }
  }

  public static void stalled(Pair pair, long outboxBytes, long unacknowledgedBytes) {
    LinkStalled event = new LinkStalled();
    if (event.shouldCommit()) {
      event.node = pair.node();
      event.other = pair.other();
      event.outbox = outboxBytes;
      event.unacknowledged = unacknowledgedBytes;
      event.commit();
    }
  }

  /// The numbers of a session.
  ///
  /// @param roundTripNanos -1 when it is not known
  public record Counts(
      long roundTripNanos,
      long outboxBytes,
      long unacknowledgedBytes,
      int windowBytes,
      long heldBytes,
      int pausedReceivers,
      long refusedHere,
      long refusedThere) {}

  public static void counts(Pair pair, Counts counts) {
    SessionCounts event = new SessionCounts();
    if (event.shouldCommit()) {
      event.node = pair.node();
      event.other = pair.other();
      event.roundTrip = Math.max(0, counts.roundTripNanos());
      event.outbox = counts.outboxBytes();
      event.unacknowledged = counts.unacknowledgedBytes();
      event.window = counts.windowBytes();
      event.held = counts.heldBytes();
      event.pausedReceivers = counts.pausedReceivers();
      event.refusedHere = counts.refusedHere();
      event.refusedThere = counts.refusedThere();
      event.commit();
    }
  }

  /// Records that a node may not act any more for what it owned.
  ///
  /// @param admission by which it held the lease
  /// @param reason why the lease was not renewed; empty when nothing is known
  public static void leaseLost(String node, long admission, String reason) {
    LeaseLost event = new LeaseLost();
    if (event.shouldCommit()) {
      event.node = node;
      event.admission = admission;
      event.reason = reason;
      event.commit();
    }
  }

  /// A change of an owner, as a node has learnt of it.
  ///
  /// @param node which has learnt of it
  /// @param what a name, or a type of shards
  /// @param from the node of the owner before; empty for none
  /// @param to the node of the owner now; empty for none
  /// @param token of the owner now; 0 for none
  public record Move(String node, String what, String from, String to, long token) {}

  public static void moved(Move move) {
    NameMoved event = new NameMoved();
    if (event.shouldCommit()) {
      event.node = move.node();
      event.movedName = move.what();
      event.from = move.from();
      event.to = move.to();
      event.token = move.token();
      event.commit();
    }
  }

  /// Records that a shard of a type has another owner, or another generation of one.
  public static void moved(int shard, Move move) {
    ShardMoved event = new ShardMoved();
    if (event.shouldCommit()) {
      event.node = move.node();
      event.type = move.what();
      event.shard = shard;
      event.from = move.from();
      event.to = move.to();
      event.token = move.token();
      event.commit();
    }
  }

  @Name("dev.heddle.LeaseLost")
  @Label("Lease Lost")
  @Category("Heddle")
  @Description("A node holds its lease no more, and ends what it owns in the cluster")
  @StackTrace(false)
  static final class LeaseLost extends Event {
    @Label("Node")
    @Nullable String node;

    @Label("Admission")
    @Description("The entry of the log that has admitted the node")
    long admission;

    @Label("Reason")
    @Nullable String reason;
  }

  @Name("dev.heddle.NameMoved")
  @Label("Name Moved")
  @Category("Heddle")
  @Description("A name of the cluster has another owner, or none; each node records it")
  @StackTrace(false)
  static final class NameMoved extends Event {
    @Label("Node")
    @Nullable String node;

    @Label("Moved Name")
    @Nullable String movedName;

    @Label("From Node")
    @Nullable String from;

    @Label("To Node")
    @Nullable String to;

    @Label("Token")
    @Description("Of the owner now; 0 for none")
    long token;
  }

  @Name("dev.heddle.ShardMoved")
  @Label("Shard Moved")
  @Category("Heddle")
  @Description("A shard of entities has another owner, or none; each node records it")
  @StackTrace(false)
  static final class ShardMoved extends Event {
    @Label("Node")
    @Nullable String node;

    @Label("Type")
    @Description("The name of the shards")
    @Nullable String type;

    @Label("Shard")
    @Description("Its number")
    int shard;

    @Label("From Node")
    @Nullable String from;

    @Label("To Node")
    @Nullable String to;

    @Label("Token")
    @Description("Of the owner now; 0 for none")
    long token;
  }

  @Name("dev.heddle.SessionOpened")
  @Label("Session Opened")
  @Category("Heddle")
  @Description("A node has got in touch with another one")
  @StackTrace(false)
  static final class SessionOpened extends Event {
    @Label("Node")
    @Nullable String node;

    @Label("Other Node")
    @Nullable String other;

    @Label("Life of the Other Node")
    int life;
  }

  @Name("dev.heddle.SessionEnded")
  @Label("Session Ended")
  @Category("Heddle")
  @Description("A node is no longer in touch with another one")
  @StackTrace(false)
  static final class SessionEnded extends Event {
    @Label("Node")
    @Nullable String node;

    @Label("Other Node")
    @Nullable String other;

    @Label("Life of the Other Node")
    int life;

    @Label("Cause")
    @Nullable String cause;

    @Label("Reason")
    @Nullable String reason;
  }

  @Name("dev.heddle.MessageRefused")
  @Label("Message Refused")
  @Category("Heddle")
  @Description("Messages from one node to a process of another one were not accepted there")
  @StackTrace(false)
  static final class MessageRefused extends Event {
    @Label("Node")
    @Nullable String node;

    @Label("Other Node")
    @Nullable String other;

    @Label("Refused by")
    @Description("The node of the receiver: this one or the other one")
    @Nullable String refusedBy;

    @Label("Receiver")
    @Nullable String receiver;

    @Label("Reason")
    @Nullable String reason;

    @Label("Messages")
    long count;
  }

  @Name("dev.heddle.LinkStalled")
  @Label("Link Stalled")
  @Category("Heddle")
  @Description("Another node takes nothing more for now: too much waits there for full mailboxes")
  @StackTrace(false)
  static final class LinkStalled extends Event {
    @Label("Node")
    @Nullable String node;

    @Label("Other Node")
    @Nullable String other;

    @Label("Outbox")
    @DataAmount
    long outbox;

    @Label("Unacknowledged")
    @DataAmount
    long unacknowledged;
  }

  @Name("dev.heddle.SessionCounts")
  @Label("Session Counts")
  @Category("Heddle")
  @Description("The numbers of a session with another node, each second")
  @StackTrace(false)
  static final class SessionCounts extends Event {
    @Label("Node")
    @Nullable String node;

    @Label("Other Node")
    @Nullable String other;

    @Label("Round Trip")
    @Description("Of the last ping; 0 when it is not known")
    @Timespan
    long roundTrip;

    @Label("Outbox")
    @DataAmount
    long outbox;

    @Label("Unacknowledged")
    @DataAmount
    long unacknowledged;

    @Label("Window")
    @Description("How much may be unacknowledged, but for one packet that is longer")
    @DataAmount
    long window;

    @Label("Held")
    @Description("Of messages that wait here for full mailboxes")
    @DataAmount
    long held;

    @Label("Paused Receivers")
    @Description("Processes of the other node whose mailboxes are nearly full")
    int pausedReceivers;

    @Label("Refused Here")
    @Description("Messages of the other node, since the session opened")
    long refusedHere;

    @Label("Refused There")
    @Description("Messages to the other node, since the session opened")
    long refusedThere;
  }
}
