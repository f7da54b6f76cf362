// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import dev.heddle.cluster.engine.Printable;

/// Why a session has ended.
///
/// @param text for people, with the values
public record Ending(Cause cause, String text) {
  /// What ends a session.
  public enum Cause {
    /// nothing was heard for 6 s
    SILENCE,
    /// the other node may be lost, and has not answered within 1 s
    NO_ANSWER,
    /// the other node has not acknowledged packets for 6 s
    UNACKNOWLEDGED,
    /// a packet is missing, or was repeated
    OUT_OF_ORDER,
    /// a packet broke the rules of the wire
    MALFORMED,
    /// what a packet brought could not be delivered
    FAILED,
    /// more than the outbox may contain waits in it
    OVERFLOW,
    /// the other node leaves
    LEFT,
    /// the other node has ended it for another reason
    ENDED_THERE,
    /// the other node has a new session with this one
    REPLACED,
    /// this node leaves
    CLOSED
  }

  /// The text may be what the other node has said: it is made printable.
  public Ending {
    text = Printable.line(text);
  }

  @Override
  public String toString() {
    return cause + ": " + text;
  }
}
