// SPDX-License-Identifier: Apache-2.0
/// Events of a runtime and of programs, published to the processes that subscribe to their class.
///
/// | enters | leaves |
/// |---|---|
/// | subscriptions, and events, from the runtime and from programs | events, as messages, to the subscribers |
///
/// Threads: any; nothing here waits. Read `EventBus`.
package dev.heddle.process.event;
