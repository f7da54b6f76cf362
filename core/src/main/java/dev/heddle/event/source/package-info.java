// SPDX-License-Identifier: Apache-2.0

/// The implementation of events: subscribers, arming and firing, composites, and the table of
/// unobserved outcomes.
///
/// | enters | leaves |
/// |---|---|
/// | subscriptions, from wakers and from callbacks of users | notifications, to them |
/// | start and stop, from waiters | arming and disarming, to the event's own kind |
///
/// Threads: everything on the carrier of the event's loop. Read `EventSource` first.
package dev.heddle.event.source;
