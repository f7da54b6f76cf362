// SPDX-License-Identifier: Apache-2.0

/// Descriptors of a UNIX system by Netty's native calls, and the driver that notifies their
/// listeners; the rooms of io_uring, epoll and kqueue watch them.
///
/// | enters | leaves |
/// |---|---|
/// | what handles open and arm; edges, from the watches | system calls; readiness |
///
/// Threads: see `ReactorDriver`. Read first: `UnixDriver`.
package dev.heddle.netty.unix;
