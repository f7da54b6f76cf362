// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

/// Counters of a scheduler, for tests and observers.
///
/// @param mounts how often the carrier mounted a context
/// @param retriedMounts mounts that the JDK refused because another thread was reading the stack;
///   each was retried
/// @param selfResumes suspensions that ended without a switch, because the same coroutine was next
/// @param reuses coroutines that started on the context of an ended one, without a switch
/// @param immediate waits that ended while their events were being armed, without a switch
public record SchedulerCounters(
    long mounts, long retriedMounts, long selfResumes, long reuses, long immediate) {}
