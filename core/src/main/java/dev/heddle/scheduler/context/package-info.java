// SPDX-License-Identifier: Apache-2.0

/// Execution contexts: the stacks that coroutines run on, and the only package with access to JDK
/// internals.
///
/// | enters | leaves |
/// |---|---|
/// | the occupant to run, from the scheduler | a context's request for its next occupant |
/// | `execute` calls of the JDK, from any thread | arrivals in the loop's inbox |
///
/// Threads: `execute` from any thread, `suspend` from the context itself, the rest on the carrier.
/// Read `ExecutionContext` first: it owns the switch protocol.
package dev.heddle.scheduler.context;
