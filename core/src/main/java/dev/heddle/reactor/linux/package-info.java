// SPDX-License-Identifier: Apache-2.0

/// File descriptors that other code has opened, watched on Linux, and system calls on descriptors.
///
/// | enters | leaves |
/// |---|---|
/// | file descriptors and listeners, from a driver | readiness, to the listeners |
///
/// Threads: the loop's, except [dev.heddle.reactor.linux.RawPollThread], whose documentation states
/// it. Read first: [dev.heddle.reactor.linux.EpollSet].
package dev.heddle.reactor.linux;
