// SPDX-License-Identifier: Apache-2.0

/// Commands: the requests of processes, where their handlers run, and how the replies return.
///
/// | enters | leaves |
/// |---|---|
/// | commands, from steps; handlers, from the builder | coroutines, to the loop; one reply each, to the issuer |
///
/// Threads: a command begins on the worker that steps its process; its reply may come from any
/// thread, once. Read `PendingCommand`, then `Dispatcher`.
package dev.heddle.process.dispatch;
