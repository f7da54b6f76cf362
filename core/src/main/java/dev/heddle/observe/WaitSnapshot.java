// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.util.List;

/// An event that a coroutine waits for, at the moment of a [Dump].
///
/// @param on what it is, in its own words
/// @param fired whether it has fired already
/// @param daemon whether it neither keeps the loop alive nor counts against a deadlock
/// @param holders the numbers of the coroutines that have to act before it can fire, as far as it
///   knows
/// @since 0.1
public record WaitSnapshot(String on, boolean fired, boolean daemon, List<Long> holders) {}
