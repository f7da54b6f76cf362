// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.util.List;

/// An event that a coroutine waits for, at the moment of a [Dump].
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=waits}
///
/// @param on the event's description of itself
/// @param fired whether it has fired already
/// @param daemon whether it neither keeps the loop alive nor counts against a deadlock
/// @param holders the numbers of the coroutines that must act before it can fire, as far as known
/// @since 0.1
public record WaitSnapshot(String on, boolean fired, boolean daemon, List<Long> holders) {}
