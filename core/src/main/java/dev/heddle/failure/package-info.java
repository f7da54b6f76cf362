// SPDX-License-Identifier: Apache-2.0

/// What Heddle knows about failures beside what their throwables say, and the traces of those that
/// cross threads.
///
/// | enters | leaves |
/// |---|---|
/// | where a failure came from, from the tree of coroutines | reports, to whoever asks |
/// | failures that gave way to others, from every room | |
///
/// Threads: any. Read `FailureTable`, then `AnotherThread`.
package dev.heddle.failure;
