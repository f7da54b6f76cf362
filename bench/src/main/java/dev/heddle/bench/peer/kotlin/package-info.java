// SPDX-License-Identifier: Apache-2.0
/// Peers on Kotlin's coroutines, all on one loop: that of `runBlocking`.
///
/// Kotlin's compiler turns a suspending lambda into a state machine. These are such machines,
/// written in Java with the calls that the compiler makes, so that the build needs no second
/// compiler.
///
/// | enters | leaves |
/// |---|---|
/// | `shape` makes a program per case | [dev.heddle.bench.measure.Sample] |
///
/// Threads: the one that calls `round`. Read [dev.heddle.bench.peer.kotlin.SuspendingLambda] first.
@NullMarked
package dev.heddle.bench.peer.kotlin;

import org.jspecify.annotations.NullMarked;
