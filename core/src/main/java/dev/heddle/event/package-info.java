// SPDX-License-Identifier: Apache-2.0

/// What coroutines wait for: events, their callbacks, and the values that bound a wait.
///
/// | enters | leaves |
/// |---|---|
/// | subscriptions, from wakers and user callbacks | notifications, to them |
/// | start and stop, from whoever waits | arming and disarming, to the event's own kind |
///
/// Threads: everything on the carrier of the event's loop. Read `Event` first.
package dev.heddle.event;
