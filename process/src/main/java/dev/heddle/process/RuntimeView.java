// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.observe.RuntimeRegistration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// What the parts of a runtime see of it.
///
/// @param registration in the lists of runtimes of this JVM
/// @param processes those that are alive, ordered by number
/// @param isClosed whether it has shut down
/// @param lookForDeadlocks looks for processes that wait for each other
record RuntimeView(
    ProcessRuntimeMXBean bean,
    RuntimeRegistration registration,
    Supplier<List<ProcessSnapshot>> processes,
    BooleanSupplier isClosed,
    Runnable lookForDeadlocks) {}
