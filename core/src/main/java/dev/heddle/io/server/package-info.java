// SPDX-License-Identifier: Apache-2.0

/// Implements servers: one accepting coroutine, one for each connection, and the log of their
/// failures.
///
/// | enters | leaves |
/// |---|---|
/// | a listener and a handler, from `Tcp.serve` and its like | connections, to the handler |
/// | failures of handlers | lines, to the log |
///
/// Threads: the loop that opened the listener. Read `ConnectionServer` first.
package dev.heddle.io.server;
