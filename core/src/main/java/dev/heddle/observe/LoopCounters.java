// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

/// What a loop has counted since its start. Counts do not jitter: two of these, before and after,
/// say what something costs.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=counters}
///
/// @param switches mounts of an execution context on the carrier: one for each resume, and for each
///   start that needs one
/// @param retriedMounts of these, the ones that the JDK refused because a thread dump held the
///   stack; each was tried again
/// @param selfResumes suspensions that ended without a switch, because the same coroutine was next
/// @param reusedStarts coroutines that started on a finished one's context without a switch
/// @param immediateWaits waits that ended while they were armed, without a switch
/// @param polls calls of the reactor that did not wait
/// @param sleeps calls of the reactor that waited until something happened or a timer was due
/// @param timers timers armed now
/// @param contexts execution contexts made so far
/// @param coroutines that have not ended
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
