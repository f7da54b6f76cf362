// SPDX-License-Identifier: Apache-2.0

/// Bridges to Reactive Streams: channels and event streams as publishers, publishers as channels
/// and event streams.
///
/// | enters | leaves |
/// |---|---|
/// | channels, event streams, producers, from coroutines | publishers, for any thread |
/// | publishers, and their signals from any thread | channels and event streams, to coroutines |
///
/// Threads: `Flows` the loop's; what it returns, as stated there. Read `LoopSubscription` first.
package dev.heddle.flow;
