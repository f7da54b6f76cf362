// SPDX-License-Identifier: Apache-2.0

/// Several loops in one simulation, each on a host of its own.
///
/// | enters | leaves |
/// |---|---|
/// | programs, each for a host | loops, that run in turns |
/// | crashes and restarts | failures, to the caller of `run` |
///
/// Threads: one carrier for each loop; one of them runs at a time. Read first: `NodeGroup`.
@org.jspecify.annotations.NullMarked
package dev.heddle.test.node;
