// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Lets the log say why commands were refused: each reason once a minute, since its sender repeats
/// the command, and no more than 100 lines a minute in all, since a sender may make up new reasons.
/// Counts the others; the next line says how many.
///
/// **Thread** any.
final class RefusedCommands {
  static final int MOST = 100; // lines a minute
  private static final long MINUTE = 60_000_000_000L;

  // this
  private final Set<String> logged = new HashSet<>(); // in this minute
  private long minute; // its begin
  private long unlogged;

  /// What to log of a command that was refused.
  ///
  /// @param nanos nanoseconds that only grow
  /// @return the reason, with the number of those that were not logged before it; null for none
  synchronized @Nullable String line(String reason, long nanos) {
    if (logged.isEmpty() || nanos - minute >= MINUTE) {
      minute = nanos;
      logged.clear();
    }
    if (logged.size() == MOST || !logged.add(reason)) {
      unlogged++;
      return null;
    }
    long before = unlogged;
    unlogged = 0;
    return before == 0 ? reason : "%s; %d more were not logged".formatted(reason, before);
  }
}
