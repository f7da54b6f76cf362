// SPDX-License-Identifier: Apache-2.0

/// The front door: [dev.heddle.Heddle], what a loop is started with, and what can be thrown at
/// users.
///
/// | enters | leaves |
/// |---|---|
/// | bodies and options, from user code | trees of coroutines; options, as values |
///
/// Threads: `run` and `Loop` from any thread, the rest inside a coroutine. The exceptions and plain
/// values of this package may be used by every room; they use none. Read `Heddle` first.
package dev.heddle;
