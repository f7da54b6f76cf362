// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.observe.ClusterJfrEvents;
import dev.heddle.cluster.wire.UndecodableMessageException;
import dev.heddle.process.SendResult;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/// Counts what the other node has sent in one session and this node has not accepted: messages,
/// requests, orders and starts. Any thread.
final class IncomingRefusals {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.peer");

  private final RemoteContext context;
  private final LongAdder count = new LongAdder();
  private final AtomicBoolean isUndecodableLogged = new AtomicBoolean();

  IncomingRefusals(RemoteContext context) {
    this.context = context;
  }

  /// @param receiver a PID, or the entry of a start
  /// @param why a `SendResult`, or another word for recordings
  void add(Object receiver, String why) {
    count.increment();
    if (ClusterJfrEvents.areRecorded()) {
      String self = context.self();
      ClusterJfrEvents.refused(context.pair(), self, receiver.toString(), why, 1);
    }
  }

  /// The same, of what cannot be decoded here. The first of a session is logged.
  void undecodable(Object receiver, UndecodableMessageException why) {
    logUndecodable(receiver, why);
    add(receiver, SendResult.NOT_SENDABLE.name());
  }

  void logUndecodable(Object receiver, UndecodableMessageException why) {
    if (isUndecodableLogged.compareAndSet(false, true)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "refused a message from node '%s' to %s, and may refuse more: %s"
              .formatted(context.other().node(), receiver, why.getMessage()));
    }
  }

  long count() {
    return count.sum();
  }
}
