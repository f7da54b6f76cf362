// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

/// An event stream or a broadcast was full and dropped events or items at this point; later ones
/// follow.
///
/// {@snippet class=dev.heddle.snippets.SyncPartsSnippetsTest region=subscription}
///
/// @since 0.1
public final class EventsLostException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final long count;

  /// With what happened, and what to do about it.
  ///
  /// @param count how many were dropped at this point
  public EventsLostException(String message, long count) {
    super(message);
    this.count = count;
  }

  /// How many were dropped at this point.
  public long count() {
    return count;
  }
}
