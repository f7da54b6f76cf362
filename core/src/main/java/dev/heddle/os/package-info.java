// SPDX-License-Identifier: Apache-2.0

/// The operating system: signals, file watches, processes, commands.
///
/// | enters | leaves |
/// |---|---|
/// | calls and waits, from coroutines | handlers, watches and children, to the JDK |
/// | reports of the system, through the loop's inbox | fired events |
///
/// Threads: the loop's, unless a class says otherwise. Read `Signals` first, then `Command` and
/// `FileWatch`.
package dev.heddle.os;
