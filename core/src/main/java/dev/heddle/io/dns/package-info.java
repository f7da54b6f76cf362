// SPDX-License-Identifier: Apache-2.0

/// Makes the look-ups of host names suspend their coroutine, whichever library asks.
///
/// | enters | leaves |
/// |---|---|
/// | the JDK, on whatever thread looks a name up | look-ups, to the loop's resolver, or to the threads beside the loop |
/// | a module that has a resolver for loops | |
///
/// Threads: any. Read `LoopResolver`.
package dev.heddle.io.dns;
