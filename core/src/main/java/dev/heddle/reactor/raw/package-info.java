// SPDX-License-Identifier: Apache-2.0

/// Descriptors that other code has opened, known by their numbers alone, watched on Linux.
///
/// | enters | leaves |
/// |---|---|
/// | numbers and listeners, from a driver | readiness, to the listeners |
///
/// Threads: all on the loop's, but [dev.heddle.reactor.raw.RawWatcher], which says for itself.
/// Start at [dev.heddle.reactor.raw.RawDescriptors].
package dev.heddle.reactor.raw;
