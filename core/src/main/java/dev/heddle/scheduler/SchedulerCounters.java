// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// What a scheduler counts, for tests and observers. Written on the loop, plain.
public final class SchedulerCounters {
  long mounts;
  long lostMounts;
  long selfResumes;
  long reuses;
  long immediate;

  SchedulerCounters() {}

  /// Times the carrier ran a context.
  public long mounts() {
    return mounts;
  }

  /// Mounts that the JDK refused because somebody was looking at the stack; each was tried again.
  public long lostMounts() {
    return lostMounts;
  }

  /// Suspensions that ended without a switch, because the same coroutine was next.
  public long selfResumes() {
    return selfResumes;
  }

  /// Coroutines that started on a finished one's context without a switch.
  public long reuses() {
    return reuses;
  }

  /// Waits that ended while they were armed, without a switch.
  public long immediate() {
    return immediate;
  }
}
