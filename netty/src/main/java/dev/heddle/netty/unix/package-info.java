// SPDX-License-Identifier: Apache-2.0

/// Descriptors of a UNIX system by Netty's native calls, and the driver that has them told when
/// they are ready; how they are told is left to the rooms of io_uring and epoll.
///
/// | enters | leaves |
/// |---|---|
/// | what handles open and submit; edges, from the watches | calls of the system; answers |
///
/// Threads: see `ReactorDriver`. Read first: `UnixDriver`.
package dev.heddle.netty.unix;
