// SPDX-License-Identifier: Apache-2.0

/// Makes the look-ups of host names suspend their coroutine, whichever library asks.
///
/// | enters | leaves |
/// |---|---|
/// | the JDK, on whatever thread looks a name up | look-ups, to the threads beside the loop |
///
/// Threads: any. Read `LoopResolver`.
package dev.heddle.io.dns;
