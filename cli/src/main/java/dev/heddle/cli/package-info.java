// SPDX-License-Identifier: Apache-2.0

/// The commands a user types, one type each.
///
/// | enters | leaves |
/// |---|---|
/// | arguments, standard input, signals, from the shell | an exit code and text, to the shell |
/// | a source file, from the user | its classes, to `dev.heddle.cli.source` |
/// | the loops of other JVMs, from `dev.heddle.cli.attach` | tables and dumps, to the shell |
/// | what the platform can do, from `dev.heddle.observe` | lines to paste, from `dev.heddle.cli.doctor` |
///
/// Threads: everything on the main thread but the program of `run`, which runs on the carrier of
/// its loop. Read `HeddleCommand` first.
package dev.heddle.cli;
