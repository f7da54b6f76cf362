// SPDX-License-Identifier: Apache-2.0

/// The implementation of coroutines and scopes: the tree of one loop, its cancellation, its
/// failures.
///
/// | enters | leaves |
/// |---|---|
/// | spawns, cancels, joins, from the public API | wakers, queued, to the scheduler |
/// | the end of a body, from its context | outcomes, to awaiters; failures, to scopes |
///
/// The tree depends neither on the life cycle of its loop nor on its diagnostics; it uses the loop
/// through `CoroutineTree.Host`.
///
/// Threads: the loop's. Read `CoroutineTree` first, then `ScopeNode` and its parts (`ScopeLinks`:
/// the place in the tree; `ScopeCancellation`; `ScopeWaiters`; `ScopeFailures`), then
/// `CancelRegion` (the cancellation of a coroutine) and `CoroutineNode`.
package dev.heddle.coroutine.tree;
