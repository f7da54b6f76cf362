// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Counters of a scheduler, for tests and observers. Written on the loop by plain stores.
public final class SchedulerCounters {
  long mounts;
  long retriedMounts;
  long selfResumes;
  long reuses;
  long immediate;

  SchedulerCounters() {}

  /// The number of times that the carrier mounted a context.
  public long mounts() {
    return mounts;
  }

  /// Mounts that the JDK refused because another thread was reading the stack; each was retried.
  public long retriedMounts() {
    return retriedMounts;
  }

  /// Suspensions that ended without a switch, because the same coroutine was next.
  public long selfResumes() {
    return selfResumes;
  }

  /// Coroutines that started on the context of an ended one, without a switch.
  public long reuses() {
    return reuses;
  }

  /// Waits that ended while their events were being armed, without a switch.
  public long immediate() {
    return immediate;
  }
}
