// SPDX-License-Identifier: Apache-2.0

/// Watches directories by the JDK's watch service, on its own thread.
///
/// | enters | leaves |
/// |---|---|
/// | trees of directories to be watched | changes, to their listeners |
///
/// Threads: worker threads and the watcher's own. Read `DirectoryWatcher` first.
package dev.heddle.os.watch;
