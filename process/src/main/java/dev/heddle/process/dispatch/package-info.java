// SPDX-License-Identifier: Apache-2.0

/// Commands: what processes ask for, who carries it out and where, and how the answer finds its
/// way.
///
/// | enters | leaves |
/// |---|---|
/// | commands, from steps; handlers, from the builder | coroutines, to the loop; one answer each, to who asked |
///
/// Threads: a command is begun on the worker that steps its process; its answer may come from any
/// thread, once. Read `PendingCommand`, then `Dispatcher`.
package dev.heddle.process.dispatch;
