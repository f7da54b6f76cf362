// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

/// A message was not delivered to an entity, or nobody knows whether it was.
public final class NotDeliveredException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean mayBeDelivered;

  private NotDeliveredException(String message, boolean mayBeDelivered) {
    super(message);
    this.mayBeDelivered = mayBeDelivered;
  }

  /// It is not delivered.
  ///
  /// @param message says why, with the names
  public static NotDeliveredException refused(String message) {
    return new NotDeliveredException(message, false);
  }

  /// It may be delivered.
  ///
  /// @param message says why, with the names
  public static NotDeliveredException lost(String message) {
    return new NotDeliveredException(message, true);
  }

  /// Whether the entity may have got it: a connection or a node was lost on the way.
  public boolean mayBeDelivered() {
    return mayBeDelivered;
  }
}
