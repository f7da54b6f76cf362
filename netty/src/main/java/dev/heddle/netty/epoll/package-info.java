// SPDX-License-Identifier: Apache-2.0

/// The driver over epoll.
///
/// | enters | leaves |
/// |---|---|
/// | descriptors to watch and to close, from the UNIX room | edges |
///
/// Threads: the loop's. Read first: `EpollRegistration`.
package dev.heddle.netty.epoll;
