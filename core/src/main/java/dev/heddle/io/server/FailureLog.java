// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.server;

import dev.heddle.observe.log.AsyncLog;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// Logs a server's failures at a limited rate: for each throwing place in the program one line at
/// once, then at most one a minute, with the number of failures in between.
///
/// **Thread** the loop's.
final class FailureLog {
  static final int MOST = 64; // places; further ones are counted as one
  static final long PERIOD_NANOS = 60_000_000_000L;
  private static final String ELSEWHERE = "elsewhere";

  private final LongSupplier nanoTime;
  private final Map<String, ThrowSite> places = new LinkedHashMap<>();

  FailureLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /// The state of a place.
  private static final class ThrowSite {
    long loggedAt;
    long unlogged;
  }

  /// Logs a warning, unless its place was logged within the last minute.
  void warn(String what, Throwable failure) {
    String where = siteOf(failure);
    String key = places.containsKey(where) || places.size() < MOST ? where : ELSEWHERE;
    long now = nanoTime.getAsLong();
    ThrowSite throwSite = places.get(key);
    if (throwSite == null) {
      throwSite = new ThrowSite();
      places.put(key, throwSite);
    } else if (now - throwSite.loggedAt < PERIOD_NANOS) {
      throwSite.unlogged++;
      return;
    }
    String more = throwSite.unlogged == 0 ? "" : "; " + throwSite.unlogged + " more like it before";
    throwSite.loggedAt = now;
    throwSite.unlogged = 0;
    AsyncLog.shared().warning(what + more, failure);
  }

  /// Logs the numbers of failures not yet logged; called at the end.
  void flush() {
    places.forEach((where, throwSite) -> {
      if (throwSite.unlogged > 0) {
        AsyncLog.shared()
            .warning(throwSite.unlogged + " more failures of a server: " + where, null);
      }
    });
    places.clear();
  }

  /// The class of the failure and the frame of the program that threw it.
  private static String siteOf(Throwable failure) {
    String name = failure.getClass().getName();
    try {
      for (StackTraceElement frame : failure.getStackTrace()) {
        if (isProgram(frame.getClassName())) {
          return name + " at " + frame;
        }
      }
    } catch (RuntimeException | StackOverflowError _) {
      // safe: getStackTrace() itself threw; the class is enough
    }
    return name;
  }

  private static boolean isProgram(String className) {
    return !className.startsWith("java.")
        && !className.startsWith("jdk.")
        && !className.startsWith("sun.")
        && !className.startsWith("javax.")
        && !className.startsWith("dev.heddle.io.")
        && !className.startsWith("dev.heddle.coroutine.tree.")
        && !className.startsWith("dev.heddle.loop.")
        && !className.startsWith("dev.heddle.scheduler.")
        && !className.startsWith("dev.heddle.reactor.")
        && !className.startsWith("dev.heddle.netty.");
  }
}
