// SPDX-License-Identifier: Apache-2.0

/// Makes look-ups of host names suspend their coroutine, also those of other libraries.
///
/// | enters | leaves |
/// |---|---|
/// | the JDK, on the thread that looks up a name | look-ups, to the loop's resolver or its worker threads |
/// | a module that has a resolver for loops | |
///
/// Threads: any. Read `LoopResolver`.
package dev.heddle.io.dns;
