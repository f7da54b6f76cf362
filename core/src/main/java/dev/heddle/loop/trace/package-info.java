// SPDX-License-Identifier: Apache-2.0

/// The trace of a loop: what its coroutines do, switch by switch, while an observer records it.
///
/// | enters | leaves |
/// |---|---|
/// | switches and wake-ups of coroutines, while a trace is recorded | entries of a ring, for an observer |
///
/// Threads: the loop's; `LoopRecording` that of the observer's session. Read `LoopTrace` first.
package dev.heddle.loop.trace;
