// SPDX-License-Identifier: Apache-2.0

/// The dump parts of other modules: `dev.heddle.process` registers its runtimes.
///
/// | enters | leaves |
/// |---|---|
/// | sources of dump parts, from other modules | parts, to dumps |
///
/// Threads: any. Read `DumpParts`.
package dev.heddle.observe.spi;
