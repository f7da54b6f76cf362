// SPDX-License-Identifier: Apache-2.0

/// Watching directories, by the JDK's service, on a thread beside the loop.
///
/// | enters | leaves |
/// |---|---|
/// | trees of directories to be watched | what happens in them, to their listeners |
///
/// Threads: those beside the loop. Read `DirectoryWatcher` first.
package dev.heddle.os.watch;
