// SPDX-License-Identifier: Apache-2.0

/// One process that lives: its steps, its mailbox, its end.
///
/// | enters | leaves |
/// |---|---|
/// | a process and options, from its host; messages and results, from any thread | commands, to the dispatcher; the exit, to all that are tied to it |
///
/// Threads: one worker at a time steps a process; what comes for it goes through its event queue.
/// Read `ProcessInstance` first, then `ProcessLifecycle`; what it asks of its host is
/// `ProcessEnvironment`.
package dev.heddle.process.instance;
