// SPDX-License-Identifier: Apache-2.0

/// What coroutines and scopes are made of: the tree of one loop, its cancellation, its failures.
///
/// | enters | leaves |
/// |---|---|
/// | spawns, cancels, joins, from the front door | wakers, queued, to the scheduler |
/// | the end of a body, from its context | outcomes, to awaiters; failures, to scopes |
///
/// The tree knows neither the life of its loop nor its diagnostics: what it asks of the loop is
/// `TreeHost`.
///
/// Threads: the loop's. Read `CoroutineTree` and `TreeHost` first, then `ScopeNode` and its parts
/// (`ScopeLinks`: the place in the tree; `ScopeCancellation`; `ScopeWaiters`; `ScopeExit`;
/// `ScopeFailures`), then `CancelRegion` (the cancellation of a coroutine) and `CoroutineNode`.
package dev.heddle.coroutine.tree;
