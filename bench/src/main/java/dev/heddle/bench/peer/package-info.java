// SPDX-License-Identifier: Apache-2.0
/// The peers: what Heddle is measured against. Frozen before Heddle's own programs are tuned.
///
/// Each is the best idiomatic program for its shape. A change here needs a commit of its own that
/// says why the old one was not honest.
///
/// | enters | leaves |
/// |---|---|
/// | `shape` makes a program per case | [dev.heddle.bench.measure.Sample] |
///
/// Threads: each program says where its actors run. Read [dev.heddle.bench.peer.Floor] first.
@NullMarked
package dev.heddle.bench.peer;

import org.jspecify.annotations.NullMarked;
