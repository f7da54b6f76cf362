// SPDX-License-Identifier: Apache-2.0

/// Other JVMs of this user, and the loops that run in them.
///
/// | enters | leaves |
/// |---|---|
/// | a process id, from `ps` and `dump` | its loops and runtimes to ask; or why there are none |
///
/// Threads: those of the command. Read `JavaProcess`.
package dev.heddle.cli.attach;
