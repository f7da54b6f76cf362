// SPDX-License-Identifier: Apache-2.0

/// The fibers of processes whose body is sequential code.
///
/// | enters | leaves |
/// |---|---|
/// | a body, and steps of its process, from `CoroutineProcess` | wake-ups of that process |
/// | | what a worker runs meanwhile, for reports, to the package of the scheduler |
/// | `execute` calls of the JDK, from any thread | what runs no longer, to the JDK's scheduler |
///
/// Threads: `execute` from any, `suspend` from the body itself, the rest within steps of the
/// process. Read `ProcessFiber` first.
package dev.heddle.process.fiber;
