// SPDX-License-Identifier: Apache-2.0

/// Processes that live: their steps, their mailboxes, their end.
///
/// | enters | leaves |
/// |---|---|
/// | processes and options, from the runtime; messages and results, from anybody | tasks, to the scheduler; exits, to whoever watches |
///
/// Threads: a process is stepped by one worker at a time; whatever comes for it goes through its
/// event queue. Read `LiveProcess` first, then `Mortal`.
package dev.heddle.process.live;
