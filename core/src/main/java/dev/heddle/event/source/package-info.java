// SPDX-License-Identifier: Apache-2.0

/// What events are made of: subscribers, arming and firing, events of several, and the account of
/// outcomes that no coroutine has taken.
///
/// | enters | leaves |
/// |---|---|
/// | subscriptions, from wakers and from callbacks of users | notifications, to them |
/// | start and stop, from whatever waits | arming and disarming, to the event's own kind |
///
/// Threads: everything on the carrier of the event's loop. Read `EventSource` first.
package dev.heddle.event.source;
