// SPDX-License-Identifier: Apache-2.0

/// What is checked inside each room, for all modules: which of its files use each other.
///
/// | enters | leaves |
/// |---|---|
/// | the sources of a room, parsed | circles of files that are larger than the table allows |
///
/// Threads: the test's. Read `KnotsTest` first.
@NullMarked
package dev.heddle.evidence.rooms;

import org.jspecify.annotations.NullMarked;
