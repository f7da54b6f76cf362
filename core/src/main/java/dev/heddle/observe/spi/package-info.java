// SPDX-License-Identifier: Apache-2.0

/// What other modules run beside the loops, for dumps: `dev.heddle.process` enters its runtimes.
///
/// | enters | leaves |
/// |---|---|
/// | who takes a part of a dump, from other modules | parts, to dumps |
///
/// Threads: any. Read `DumpParts`.
package dev.heddle.observe.spi;
