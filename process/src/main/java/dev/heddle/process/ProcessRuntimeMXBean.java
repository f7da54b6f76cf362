// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// A process runtime for management tools: `dev.heddle:type=ProcessRuntime,name=...` in the
/// platform's MBean server. It is registered at the runtime's start if the server has been used
/// before, otherwise about a second after the first use, and removed when the runtime ends.
///
/// Counts are read while the workers run and may lag a moment behind. A JVM with runtimes has the
/// system property `dev.heddle.processes`, the number of its runtimes, so that tools start no
/// server in one without.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=bean}
///
/// @since 0.1
public interface ProcessRuntimeMXBean {
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

  /// Its uptime in milliseconds.
  long getUptimeMillis();

  /// How many workers there are.
  int getWorkers();

  /// How many of them are not parked.
  int getAwakeWorkers();

  /// The median delay of ready processes in microseconds, as [QueueDelay#percentile] defines it.
  long getQueueDelayMedianMicros();

  /// The 99th percentile of this delay.
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
