// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

/// A pool was closed: a [dev.heddle.sync.Pool] lends nothing more, and a
/// [dev.heddle.thread.ThreadPool] takes no more tasks.
///
/// {@snippet class=dev.heddle.snippets.PoolSnippetsTest region=closed}
///
/// @since 0.1
public final class PoolClosedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// With what happened, and what to do.
  public PoolClosedException(String message) {
    super(message);
  }
}
