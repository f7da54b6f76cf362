// SPDX-License-Identifier: Apache-2.0

/// The public API of the process runtime: what a process is, and how to start, address and end one.
///
/// | enters | leaves |
/// |---|---|
/// | processes, options and messages, from user code | process instances, to their package; results and exits, to their callers |
///
/// Threads: a runtime and PIDs from any thread, a context within the steps of its process. Every
/// package may use the plain values of this package. Read `Process`, then `ProcessRuntime`.
package dev.heddle.process;
