// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import org.jspecify.annotations.Nullable;

/// A running loop, for management tools: `dev.heddle:type=Loop,name=...` in the platform's MBean
/// server, from about a second after that server is first used until the loop ends.
///
/// Counters are read while the loop runs and may lag slightly. A JVM with running loops sets the
/// system property `dev.heddle.loops`, so tools need not start the MBean server of a JVM without
/// loops. Its value is the pattern of the loops' names in that server.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=bean}
///
/// @since 0.1
public interface LoopMXBean {
  /// The loop's name.
  String getName();

  /// The name of the thread it runs on.
  String getCarrier();

  /// The number of coroutines that have not ended.
  int getCoroutines();

  /// Its uptime in milliseconds.
  long getUptimeMillis();

  /// `asleep`, `busy`, or `held` for longer than [dev.heddle.HeddleOptions#holdLimit()].
  String getState();

  /// The coroutine that holds it, or null.
  @Nullable String getHolder();

  /// How long it has been held, in milliseconds; 0 if it is not.
  long getHeldMillis();

  /// The number of ready coroutines, including those not started.
  int getReady();

  /// The number of coroutines that wait in Heddle.
  int getWaiting();

  /// The number of coroutines that the JDK has parked.
  int getForeign();

  /// As [LoopCounters#switches()].
  long getSwitches();

  /// As [LoopCounters#retriedMounts()].
  long getRetriedMounts();

  /// As [LoopCounters#selfResumes()].
  long getSelfResumes();

  /// As [LoopCounters#reusedStarts()].
  long getReusedStarts();

  /// As [LoopCounters#immediateWaits()].
  long getImmediateWaits();

  /// As [LoopCounters#polls()].
  long getPolls();

  /// As [LoopCounters#sleeps()].
  long getSleeps();

  /// As [LoopCounters#timers()].
  int getTimers();

  /// As [LoopCounters#contexts()].
  long getContexts();

  /// A line for each coroutine. If the loop does not reply within two seconds, its holder.
  String table();

  /// Every coroutine with its stack. If the loop does not reply within two seconds, its holder.
  String dump();

  /// The same as a JSON object.
  String dumpJson();
}
