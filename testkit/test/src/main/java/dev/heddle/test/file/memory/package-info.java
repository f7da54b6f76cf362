// SPDX-License-Identifier: Apache-2.0

/// A file system in memory, which knows what a loss of power would leave of it.
///
/// | enters | leaves |
/// |---|---|
/// | calls of `java.nio.file.Files` and file channels | contents, and errors as the JDK has them |
/// | operations of Heddle's files, through the driver interface | completions, in polls |
/// | faults, a full disk, crashes, from the test | what is durable |
///
/// Threads: that of the loop whose turn it is, and its workers. Read first: `Disk`, then
/// `FileNode`.
@org.jspecify.annotations.NullMarked
package dev.heddle.test.file.memory;
