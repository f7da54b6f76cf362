// SPDX-License-Identifier: Apache-2.0

/// Time and the outside world: timers, readiness, wake-ups from other threads, and the drivers
/// behind them.
///
/// | enters | leaves |
/// |---|---|
/// | events armed by waiting coroutines | fired events, on the carrier |
/// | one poll, or one sleep, from the trampoline | listeners, to descriptors |
/// | completions from other threads, through the inbox | |
///
/// Threads: the loop's own; [dev.heddle.reactor.RemoteEvent] and [dev.heddle.reactor.TriggerEvent]
/// are fired from any. Read `Reactor` first, then `TimerQueue`.
package dev.heddle.reactor;
