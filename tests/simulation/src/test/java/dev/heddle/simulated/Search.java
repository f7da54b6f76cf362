// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

/// A way to look for a bug: which of the ready threads runs next.
enum Search {
  /// Any of those that are ready.
  WALK("walk"),
  /// Priorities that change three times.
  PCT_3("pct-3"),
  /// Priorities that change fifteen times.
  PCT_15("pct-15"),
  /// Any of those that are ready, and stalls at one point in ten.
  STALLS("stalls"),
  /// Any of those that are ready, and spurious wake-ups before one step in three.
  WAKE_UPS("wake-ups");

  private final String title;

  Search(String title) {
    this.title = title;
  }

  /// Its name in tables.
  String title() {
    return title;
  }
}
