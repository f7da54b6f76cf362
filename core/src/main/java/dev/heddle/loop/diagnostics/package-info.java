// SPDX-License-Identifier: Apache-2.0

/// What looks at a running loop, and what is said about it: holds, stalls, overruns, dumps, the
/// bean for management tools.
///
/// | enters | leaves |
/// |---|---|
/// | the tree, read on the loop | dumps, to those who ask |
/// | counters and stacks, read by the watchdog | reports, to the log, listeners, recordings |
///
/// It knows the tree, and no loop.
///
/// Threads: the loop's, and the watchdog's; each class says which. Read `LoopDiagnostics` first.
package dev.heddle.loop.diagnostics;
