// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

/// What can be asked of every handle, and of every kind of event.
public enum Aspect {
  /// Everything arrives, once, whole and in order.
  INTEGRITY("integrity"),
  /// The end, or a peer that is gone, is told.
  END("end"),
  /// A cancelled wait leaves nothing behind and takes nothing away.
  CANCEL("cancel"),
  /// So does one whose time is over.
  DEADLINE("deadline"),
  /// Closing ends the waits of all.
  CLOSE("close under waiters"),
  /// Anything else.
  OTHER("other");

  private final String title;

  Aspect(String title) {
    this.title = title;
  }

  /// As the head of a column.
  public String title() {
    return title;
  }
}
