// SPDX-License-Identifier: Apache-2.0

/// Source files as programs: compiled in memory, by the rules of `java FILE.java`.
///
/// | enters | leaves |
/// |---|---|
/// | a file or standard input, a class path | a [dev.heddle.cli.source.Program], to `run` |
/// | | the compiler's messages, to the user |
///
/// Threads: the thread of the caller; the class loader from any. Read `Program` first.
package dev.heddle.cli.source;
