// SPDX-License-Identifier: Apache-2.0

/// What an observer sees of a loop from second to second, at the price of what has changed.
///
/// | enters | leaves |
/// |---|---|
/// | an observer, by `Attachable.watch()`, on its session's thread | rows of text, to its pipe |
/// | coroutines that have switched since the last look, from the tree | nothing |
///
/// Nothing of it exists while nobody watches: no object, no hook.
///
/// Threads: `LoopFeed` that of a session, all else the loop's. Read `LoopWatch` first.
package dev.heddle.loop.feed;
