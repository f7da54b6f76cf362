// SPDX-License-Identifier: Apache-2.0

/// One process: its steps, its mailbox, its end.
///
/// | enters | leaves |
/// |---|---|
/// | a process and options, from its host; messages and results, from any thread | commands, to the dispatcher; the exit, to all that are tied to it |
///
/// Threads: one worker at a time steps a process; everything for it passes through its event queue.
/// Read `ProcessInstance` first, then `ProcessLifecycle`; `ProcessEnvironment` is what it needs
/// from its host.
package dev.heddle.process.instance;
