// SPDX-License-Identifier: Apache-2.0
/// Peers of processes on the JDK alone: virtual threads with a queue each, and its own fork-join
/// pool.
///
/// | enters | leaves |
/// |---|---|
/// | `shape` makes a program per case | [dev.heddle.bench.measure.Sample] |
///
/// Threads: a virtual thread for each actor. Read [dev.heddle.bench.peer.thread.ThreadPairs] first.
@NullMarked
package dev.heddle.bench.peer.thread;

import org.jspecify.annotations.NullMarked;
