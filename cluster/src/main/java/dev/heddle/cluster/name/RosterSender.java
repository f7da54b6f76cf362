// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.roster.LogFormats;
import dev.heddle.cluster.roster.RosterCodec;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Sends messages about the roster to other nodes: in the newest format of the log that both know,
/// whichever is in force. The agent thread.
final class RosterSender {
  private final String self;
  private final NodePort port;
  private final LogFormats formats;
  private final RosterMessageCodec codec;

  /// @param self the name of this node
  RosterSender(String self, NodePort port, RosterCodec codec) {
    this.self = self;
    this.port = port;
    this.formats = codec.formats();
    this.codec = new RosterMessageCodec(codec);
  }

  /// Sends a message.
  ///
  /// @return false when it is lost already
  boolean send(String to, RosterMessage message) {
    return send(to, message, format(to));
  }

  /// Sends a message in a format that both know. It may be one of an earlier life of that node: its
  /// session has ended then, and the next one may know another format.
  ///
  /// @return false when it is lost already
  boolean send(String to, RosterMessage message, int format) {
    boolean hasFormat =
        switch (message) {
          case RosterMessage.State _,
              RosterMessage.Applied _,
              RosterMessage.Submit _,
              RosterMessage.Answered _ ->
              true;
          default -> false;
        };
    return (format != 0 || !hasFormat) && port.send(to, codec.encode(message, format));
  }

  /// Completes when a node may be sent something again that was lost: its outbox has room, or it is
  /// not in session.
  CompletableFuture<@Nullable Void> room(String node) {
    return port.room(node);
  }

  /// The newest format that a node in session knows, too; 0 for none.
  int format(String node) {
    return formats.common(port.logFormat(node));
  }

  /// Why a node in session cannot be talked to about the log; empty when it can.
  String obstacle(String node) {
    int other = port.logFormat(node);
    return other == 0 || formats.common(other) != 0
        ? ""
        : ("node '%s' knows the log up to format %d, this release of node '%s' reads %s:"
                + " upgrade from each release to the next")
            .formatted(node, other, self, formats);
  }
}
