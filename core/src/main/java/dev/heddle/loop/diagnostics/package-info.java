// SPDX-License-Identifier: Apache-2.0

/// The diagnostics of running loops: holds, stalls, overruns, dumps, and the bean for management
/// tools.
///
/// | enters | leaves |
/// |---|---|
/// | the tree, read on the loop | dumps, to callers |
/// | counters and stacks, read by the watchdog | reports, to the log, listeners, recordings |
///
/// It depends on the tree, and on no loop.
///
/// Threads: the loop's, and the watchdog's; each class says which. Read `LoopDiagnostics` first.
package dev.heddle.loop.diagnostics;
