// SPDX-License-Identifier: Apache-2.0

/// What a loop on a simulated host sees of it, for the rooms that do not build the network.
///
/// | enters | leaves |
/// |---|---|
/// | look-ups of names, by the core | the resolver of the host's network |
/// | crashes, by nodes | hosts without power |
///
/// Threads: that of the loop whose turn it is. Read first: `HostDriver`.
@org.jspecify.annotations.NullMarked
package dev.heddle.test.host;
