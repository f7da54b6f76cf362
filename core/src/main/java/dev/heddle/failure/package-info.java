// SPDX-License-Identifier: Apache-2.0

/// What Heddle knows about failures in addition to their throwables, and the traces of failures
/// that cross threads.
///
/// | enters | leaves |
/// |---|---|
/// | the origin of a failure, from the coroutine tree | reports, to any caller |
/// | failures suppressed by others, from every package | |
///
/// Threads: any. Read `FailureTable`, then `CrossThreadTraces`.
package dev.heddle.failure;
