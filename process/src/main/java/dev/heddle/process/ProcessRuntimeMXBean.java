// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// A runtime of processes, as management tools see it: `dev.heddle:type=ProcessRuntime,name=...` in
/// the platform's MBean server. It is there from the runtime's start if the server has been used
/// before, else from about a second after that; until the end of the runtime.
///
/// Counts are read while the workers run and may lag a moment behind. A JVM in which runtimes are
/// says so by the system property [#ANNOUNCEMENT], so that tools start no server in one that has
/// none.
///
/// @since 0.1
public interface ProcessRuntimeMXBean {
  /// The system property whose value is how many runtimes there are.
  String ANNOUNCEMENT = "dev.heddle.processes";

  /// The name of the host.
  String getName();

  /// As [ProcessCounters#processes()].
  int getProcesses();

  /// As [ProcessCounters#started()].
  long getStarted();

  /// As [ProcessCounters#executed()].
  long getExecuted();

  /// As [ProcessCounters#undelivered()].
  long getUndelivered();

  /// As [ProcessCounters#lateResults()].
  long getLateResults();

  /// As [ProcessCounters#longSteps()].
  long getLongSteps();

  /// How long it has run, in milliseconds.
  long getUptimeMillis();

  /// How many workers there are.
  int getWorkers();

  /// How many of them do not sleep.
  int getAwakeWorkers();

  /// Within how many microseconds half of the processes that were ready had a worker, as
  /// [QueueDelay#percentile] says.
  long getQueueDelayMedianMicros();

  /// The same for 99 of 100.
  long getQueueDelay99Micros();

  /// A line for each worker.
  String workerTable();

  /// A line for each process.
  String table();

  /// As [ProcessRuntime#dump()].
  String dump();

  /// The same as a JSON object, with every process.
  String dumpJson();
}
