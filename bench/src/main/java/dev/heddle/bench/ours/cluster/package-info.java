// SPDX-License-Identifier: Apache-2.0
/// Heddle's contenders between JVMs: a node here, and one or two more in JVMs of their own.
///
/// | enters | leaves |
/// |---|---|
/// | `shape` makes a program per case | [dev.heddle.bench.measure.Sample] |
///
/// Threads: the workers of each node, and those of its connections. Read
/// [dev.heddle.bench.ours.cluster.Nodes] first.
@NullMarked
package dev.heddle.bench.ours.cluster;

import org.jspecify.annotations.NullMarked;
