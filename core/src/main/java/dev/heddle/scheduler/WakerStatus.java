// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Where a coroutine stands between two suspensions; the table is in [Waker].
public enum WakerStatus {
  /// Not waiting: it runs, or the JDK has parked it, or it has not been queued yet.
  NO_STATUS,
  /// Subscribed and waiting.
  WAITING,
  /// In the ready queue.
  QUEUED,
  /// In the ready queue, but cancelled before its start: it will be finished without running.
  IGNORED,
  /// Woken: the outcome is there, to be delivered.
  RESULT
}
