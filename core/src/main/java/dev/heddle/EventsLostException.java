// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

/// A stream of events had no room for some that came at this point; those that come after it
/// follow.
///
/// @since 0.1
public final class EventsLostException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final long count;

  /// With what happened, and what to do about it.
  ///
  /// @param count how many were lost at this point
  public EventsLostException(String message, long count) {
    super(message);
    this.count = count;
  }

  /// How many were lost at this point.
  public long count() {
    return count;
  }
}
