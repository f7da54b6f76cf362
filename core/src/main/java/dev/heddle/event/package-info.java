// SPDX-License-Identifier: Apache-2.0

/// What coroutines wait for, as users see it: events, their callbacks, futures, streams, and the
/// values that bound a wait.
///
/// | enters | leaves |
/// |---|---|
/// | waits and subscriptions, from coroutines | outcomes, to them |
///
/// Threads: everything on the event's loop, but for a deadline, which is a value. Read `Event`
/// first.
package dev.heddle.event;
