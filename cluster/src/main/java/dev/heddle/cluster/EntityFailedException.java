// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import org.jspecify.annotations.Nullable;

/// An entity has replied to a request with a failure, or has ended without a reply. The cause says
/// which: the failure itself, or a [dev.heddle.process.NoReplyException].
///
/// {@snippet class=dev.heddle.cluster.ShardsSnippetsTest region=ask}
///
/// @since 0.1
public final class EntityFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// @param message names the entity
  public EntityFailedException(String message, @Nullable Throwable cause) {
    super(cause == null ? message : message + ": " + cause.getMessage(), cause);
  }
}
