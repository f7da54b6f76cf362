// SPDX-License-Identifier: Apache-2.0
/// What Ratis logs, as lines of `System.Logger`.
///
/// | enters | leaves |
/// |---|---|
/// | calls of SLF4J, from Ratis | lines of a `System.Logger` of the same name, at a lower level |
///
/// Threads: any.
@org.jspecify.annotations.NullMarked
package dev.heddle.cluster.ratis.log;
