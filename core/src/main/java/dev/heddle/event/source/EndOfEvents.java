// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

/// With this as its failure, an event says to its streams that it will not fire again: they end
/// after the items that are left.
public final class EndOfEvents extends RuntimeException {
  /// The only one; without a trace, and nothing can be suppressed in it.
  @SuppressWarnings("StaticAssignmentOfThrowable") // so it holds nothing of who throws it
  public static final EndOfEvents INSTANCE = new EndOfEvents();

  private static final long serialVersionUID = 1;

  private EndOfEvents() {
    super("no more events will come", null, false, false);
  }
}
