// SPDX-License-Identifier: Apache-2.0

/// Captures of a coroutine's output, and the streams that replace `System.out` and `System.err`.
///
/// | enters | leaves |
/// |---|---|
/// | captures that coroutines open | |
/// | output of any thread | bytes, to the capture of that coroutine, or the original stream |
///
/// Threads: any; no carrier. Read `OutputCaptures` first.
package dev.heddle.coroutine.capture;
