// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// The state of a coroutine's waker; the transitions are in the table of [Waker].
public enum WakerStatus {
  /// Not waiting: the coroutine runs, or the JDK has parked it, or it has not been queued yet.
  NO_STATUS,
  /// Subscribed and waiting.
  WAITING,
  /// In the ready queue.
  QUEUED,
  /// In the ready queue, but cancelled before its start: it will end without running.
  IGNORED,
  /// Woken: the outcome is ready to be delivered.
  RESULT
}
