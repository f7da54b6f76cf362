// SPDX-License-Identifier: Apache-2.0

/// The public API of waits: events, their callbacks, futures, streams, and deadlines.
///
/// | enters | leaves |
/// |---|---|
/// | waits and subscriptions, from coroutines | outcomes, to them |
///
/// Threads: everything on the event's loop, except deadlines, which are values. Read `Event` first.
package dev.heddle.event;
