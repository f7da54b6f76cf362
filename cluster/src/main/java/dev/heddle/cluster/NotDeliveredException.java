// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

/// A request was not delivered to an entity, or nobody knows whether it was.
///
/// {@snippet class=dev.heddle.cluster.ShardsSnippetsTest region=ask}
///
/// @since 0.1
public final class NotDeliveredException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Why why;

  /// What is known.
  public enum Why {
    /// too many messages wait for the shard of the entity: it was not sent
    FULL,
    /// no entity has got it, nor will
    REFUSED,
    /// a connection or a node was lost while it had the request, or the entity has not replied in
    /// time: the entity may have got it
    LOST
  }

  /// @param message says what was sent to whom, and what has become of it
  public NotDeliveredException(String message, Why why) {
    super(message);
    this.why = why;
  }

  /// What is known.
  public Why why() {
    return why;
  }

  /// Whether the entity may have got it.
  public boolean mayBeDelivered() {
    return why == Why.LOST;
  }
}
