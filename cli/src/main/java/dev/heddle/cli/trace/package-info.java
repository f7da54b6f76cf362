// SPDX-License-Identifier: Apache-2.0

/// Traces of other JVMs, and the file that viewers open.
///
/// | enters | leaves |
/// |---|---|
/// | entries of the rings of a JVM, from `attach` | a file in the Trace Event Format |
///
/// Threads: that of the command. Read `TraceJson`.
package dev.heddle.cli.trace;
