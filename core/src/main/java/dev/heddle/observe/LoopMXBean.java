// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import org.jspecify.annotations.Nullable;

/// A running loop, as management tools see it: `dev.heddle:type=Loop,name=...` in the platform's
/// MBean server, from about a second after that server is first used until the loop ends.
///
/// Counts are read while the loop runs and may lag a moment behind. A JVM in which loops run says
/// so by the system property [#ANNOUNCEMENT], so that tools start no server in one that has none.
///
/// @since 0.1
public interface LoopMXBean {
  /// The system property whose value is the pattern of the loops' names in the MBean server.
  String ANNOUNCEMENT = "dev.heddle.loops";

  /// The loop's name.
  String getName();

  /// The name of the thread it runs on.
  String getCarrier();

  /// Coroutines that have not ended.
  int getCoroutines();

  /// How long it has run, in milliseconds.
  long getUptimeMillis();

  /// `asleep`, `busy`, or `held` for longer than [dev.heddle.HeddleOptions#holdLimit()].
  String getState();

  /// The coroutine that holds it, or null.
  @Nullable String getHolder();

  /// For how long it is held so far, in milliseconds; 0 when it is not.
  long getHeldMillis();

  /// Coroutines that could run now, those not started among them.
  int getReady();

  /// Coroutines that wait on the loop.
  int getWaiting();

  /// Coroutines that the JDK has parked.
  int getForeign();

  /// As [LoopCounters#switches()].
  long getSwitches();

  /// As [LoopCounters#selfResumes()].
  long getSelfResumes();

  /// As [LoopCounters#reusedStarts()].
  long getReusedStarts();

  /// As [LoopCounters#polls()].
  long getPolls();

  /// As [LoopCounters#sleeps()].
  long getSleeps();

  /// As [LoopCounters#timers()].
  int getTimers();

  /// As [LoopCounters#contexts()].
  long getContexts();

  /// A line for each coroutine. When the loop does not answer within two seconds, who holds it.
  String table();

  /// Every coroutine with its stack. When the loop does not answer within two seconds, who holds
  /// it.
  String dump();

  /// The same as a JSON object.
  String dumpJson();
}
