// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

/// How a session has ended.
///
/// @param reason of the end
/// @param text for people, with the values
public record SessionEnd(Reason reason, String text) {
  /// Why a session has ended.
  public enum Reason {
    /// nothing was heard of the other node
    SILENCE,
    /// the other node was suspected, and did not answer
    NO_ANSWER,
    /// a packet is missing
    GAP,
    /// a packet breaks the rules of the wire
    MALFORMED,
    /// the other node has left
    LEFT,
    /// the other node has ended the session, or does not know it
    ENDED_THERE,
    /// the other node has begun another life, or another session
    SUPERSEDED,
    /// the outbox has no space for what must be sent
    OVERFLOW,
    /// this node has left
    CLOSED
  }
}
