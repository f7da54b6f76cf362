// SPDX-License-Identifier: Apache-2.0

/// The driver over epoll.
///
/// | enters | leaves |
/// |---|---|
/// | descriptors to register and to close, from the package unix | edges |
///
/// Threads: the carrier. Read first: `EpollRegistration`.
package dev.heddle.netty.epoll;
