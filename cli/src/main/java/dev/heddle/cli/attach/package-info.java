// SPDX-License-Identifier: Apache-2.0

/// Other JVMs of this user, and the loops that run in them.
///
/// | enters | leaves |
/// |---|---|
/// | a process's number, from `ps` and `dump` | its loops and runtimes, which can be asked; or why there are none, in words |
///
/// Threads: those of the command. Read `JavaProcess`.
package dev.heddle.cli.attach;
