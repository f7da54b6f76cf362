// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import org.jspecify.annotations.Nullable;

/// What the JDK reports about a coroutine that it has parked.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=waits}
///
/// @param state of the coroutine's thread: BLOCKED for a monitor, TIMED_WAITING if the wait has a
///   bound
/// @param method the method of the JDK that the program called, or null when its own code entered a
///   monitor
/// @param blocker the object for which it is parked, by class and identity; null if unknown
/// @param owner the coroutine or thread that holds it; null if unknown
/// @param ownerId the number of the holding coroutine, or null
/// @since 0.1
public record ForeignWait(
    Thread.State state,
    @Nullable String method,
    @Nullable String blocker,
    @Nullable String owner,
    @Nullable Long ownerId) {}
