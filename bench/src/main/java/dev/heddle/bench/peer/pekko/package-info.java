// SPDX-License-Identifier: Apache-2.0
/// Peers on Pekko's typed actors, in the functional style of its Java API.
///
/// | enters | leaves |
/// |---|---|
/// | `shape` makes a program per case | [dev.heddle.bench.measure.Sample] |
///
/// Threads: an actor system for each program, as many threads as processors. Read
/// [dev.heddle.bench.peer.pekko.PekkoSystem] first.
@NullMarked
package dev.heddle.bench.peer.pekko;

import org.jspecify.annotations.NullMarked;
