// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

/// A running loop, as management tools see it: `dev.heddle:type=Loop,name=...` in the platform's
/// MBean server, from about a second after that server is first used until the loop ends.
///
/// Counts are read while the loop runs and may lag a moment behind.
///
/// @since 0.1
public interface LoopMXBean {
  /// The loop's name.
  String getName();

  /// The name of the thread it runs on.
  String getCarrier();

  /// Coroutines that have not ended.
  int getCoroutines();

  /// As [LoopCounters#switches()].
  long getSwitches();

  /// As [LoopCounters#selfResumes()].
  long getSelfResumes();

  /// As [LoopCounters#reusedStarts()].
  long getReusedStarts();

  /// As [LoopCounters#looks()].
  long getLooks();

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
