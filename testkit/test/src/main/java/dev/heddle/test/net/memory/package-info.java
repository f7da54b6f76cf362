// SPDX-License-Identifier: Apache-2.0

/// A network in memory, under the driver of a loop: hosts, TCP, UDP, UNIX sockets and pipes, with
/// faults by a seed.
///
/// | enters | leaves |
/// |---|---|
/// | calls of handles, through Heddle's driver interface | readiness, in polls |
/// | faults and partitions, from the test | events, to observers |
///
/// Threads: that of the loop whose turn it is. Read first: `Flow`, then `MemoryHost`.
@org.jspecify.annotations.NullMarked
package dev.heddle.test.net.memory;
