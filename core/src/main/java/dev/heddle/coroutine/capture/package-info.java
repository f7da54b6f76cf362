// SPDX-License-Identifier: Apache-2.0

/// What a coroutine prints, captured: the streams that stand in `System.out` and `System.err`.
///
/// | enters | leaves |
/// |---|---|
/// | captures that coroutines open | |
/// | what is printed, by any thread | bytes, to the capture of that coroutine, or the stream below |
///
/// Threads: any; no carrier. Read `OutputCaptures` first.
package dev.heddle.coroutine.capture;
