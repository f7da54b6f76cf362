// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated;

/// A way to look for a bug: who runs next, and where a running thread is interrupted in favour of
/// another.
enum Search {
  /// Whoever is chosen runs until it waits.
  WAITS("waits"),
  /// Any of those that are ready, at each point.
  WALK("walk"),
  /// Priorities that change three times.
  PCT_3("pct-3"),
  /// Priorities that change fifteen times.
  PCT_15("pct-15"),
  /// A running thread loses the processor for long, in virtual time.
  STALLS("stalls"),
  /// A waiting thread comes back for no reason.
  SPURIOUS("spurious");

  private final String title;

  Search(String title) {
    this.title = title;
  }

  /// Its name in tables.
  String title() {
    return title;
  }
}
