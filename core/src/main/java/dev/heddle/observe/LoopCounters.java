// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

/// The counters of a loop since its start. They are exact, so the difference of two readings is the
/// cost of an operation.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=counters}
///
/// @param switches mounts of an execution context on the carrier: one for each resume, and for each
///   start that needs one
/// @param retriedMounts mounts among these that the JDK refused because a thread dump held the
///   stack; each was retried
/// @param selfResumes suspensions that ended without a switch, because the same coroutine was the
///   next
/// @param reusedStarts coroutines that started on a finished one's context without a switch
/// @param immediateWaits waits that ended while they were armed, without a switch
/// @param polls non-blocking polls of the reactor
/// @param sleeps blocking polls of the reactor, until an event or a due timer
/// @param timers armed timers
/// @param contexts execution contexts created so far
/// @param coroutines coroutines that have not ended
/// @since 0.1
public record LoopCounters(
    long switches,
    long retriedMounts,
    long selfResumes,
    long reusedStarts,
    long immediateWaits,
    long polls,
    long sleeps,
    int timers,
    long contexts,
    int coroutines) {}
