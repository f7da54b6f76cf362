// SPDX-License-Identifier: Apache-2.0

/// The entry points of Heddle: [dev.heddle.Heddle], [dev.heddle.Loop], their options, and the
/// exceptions that users may see.
///
/// | enters | leaves |
/// |---|---|
/// | bodies and options, from user code | trees of coroutines; options, as values |
///
/// Threads: `run` and `Loop` from any thread, the rest inside a coroutine. Every package may use
/// the exceptions and plain values of this one; these use no package. Read `Heddle` first.
package dev.heddle;
