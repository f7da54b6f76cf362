// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import org.jspecify.annotations.Nullable;

/// What the JDK tells of a coroutine that it has parked.
///
/// @param state of the coroutine's thread: BLOCKED for a monitor, TIMED_WAITING when the wait has a
///   bound
/// @param method the method of the JDK that the program called, or null when its own code entered a
///   monitor
/// @param blocker what it is parked for, by class and identity; null when the JDK does not say
/// @param owner who holds that: a coroutine or a thread; null when the JDK does not say
/// @param ownerId the number of the coroutine that holds it, or null
/// @since 0.1
public record ForeignWait(
    Thread.State state,
    @Nullable String method,
    @Nullable String blocker,
    @Nullable String owner,
    @Nullable Long ownerId) {}
