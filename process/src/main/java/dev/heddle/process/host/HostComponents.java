// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Lifetime;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessFactory;
import dev.heddle.process.ProcessListener;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Request;
import dev.heddle.process.fiber.FiberView;
import dev.heddle.process.instance.StepOutputAccess;
import dev.heddle.process.routing.RoutingTable;
import dev.heddle.process.scheduler.WorkScheduler;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The parts of a host.
///
/// @param runtime the public runtime
/// @param scheduler runs the processes
/// @param routes leads to all that is not a process of this host
/// @param limit the maximum of processes alive at once
/// @param factory for starts and upgrades by name
/// @param listeners of starts and ends, in the order of their calls
/// @param bodies finds the sequential body of a process, if it has one
/// @param unseen is called with requests that are left in a mailbox at the end of its process
/// @param outputs reads the outputs of steps
/// @param lifetime the default for processes with a parent
public record HostComponents(
    ProcessRuntime runtime,
    WorkScheduler scheduler,
    RoutingTable routes,
    int limit,
    @Nullable ProcessFactory factory,
    List<ProcessListener> listeners,
    Function<Process, @Nullable FiberView> bodies,
    Consumer<Request> unseen,
    StepOutputAccess outputs,
    Lifetime lifetime) {}
