// SPDX-License-Identifier: Apache-2.0

/// The front door of the process runtime: what a process is, how it is started, addressed and
/// ended.
///
/// | enters | leaves |
/// |---|---|
/// | processes, options and messages, from user code | processes that live, to their room; results and exits, to whoever asked |
///
/// Threads: a runtime and PIDs from any thread, a context within the steps of its process. The
/// plain values of this package may be used by every room. Read `Process`, then `ProcessRuntime`.
package dev.heddle.process;
