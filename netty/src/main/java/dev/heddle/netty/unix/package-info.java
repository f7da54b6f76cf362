// SPDX-License-Identifier: Apache-2.0

/// Descriptors of UNIX systems, by Netty's native calls, and the driver that notifies their
/// listeners; the packages uring, epoll and kqueue register them.
///
/// | enters | leaves |
/// |---|---|
/// | descriptors that handles open and arm; edges, from registrations | system calls; readiness |
///
/// Threads: see `ReactorDriver`. Read first: `UnixDriver`.
package dev.heddle.netty.unix;
