// SPDX-License-Identifier: Apache-2.0

/// What a server is made of: one coroutine that accepts, one for each connection, and what is said
/// of those that fail.
///
/// | enters | leaves |
/// |---|---|
/// | a listener and a handler, from `Tcp.serve` and its like | connections, to the handler |
/// | what handlers throw | lines, to the log |
///
/// Threads: the loop that opened the listener. Read `ConnectionServer` first.
package dev.heddle.io.server;
