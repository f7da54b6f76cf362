// SPDX-License-Identifier: Apache-2.0

/// What is behind coroutines and scopes: the tree of a loop, its cancellation and its end.
///
/// | enters | leaves |
/// |---|---|
/// | spawns, cancels, joins, from the front door | wakers, queued, to the scheduler |
/// | the end of a body, from its context | outcomes, to awaiters; failures, to scopes |
///
/// Threads: the loop's. Read `LoopRoot` first, then `CancelRegion` (the cancellation of a
/// coroutine), `Branch` and `CancellableBranch` (the tree, the cancellation of a scope),
/// `ScopeFailures` (where failures go), `ScopeNode`, `CoroutineNode`; for the end of a loop
/// `Shutdown`, `Closers`; for what a coroutine prints `OutputCaptures`.
package dev.heddle.coroutine.tree;
