// SPDX-License-Identifier: Apache-2.0
/// The load on a server under measurement: fixed connections, each with so many requests under way.
///
/// | enters | leaves |
/// |---|---|
/// | an address, a [dev.heddle.bench.load.Load] from `shape` | how many answers have come |
///
/// Threads: the driver's, one selector, no other. Read [dev.heddle.bench.load.LoadClient] first.
@NullMarked
package dev.heddle.bench.load;

import org.jspecify.annotations.NullMarked;
