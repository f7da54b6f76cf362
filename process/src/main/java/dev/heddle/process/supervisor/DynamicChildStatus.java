// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.supervisor.ChildStatus.State;
import org.jspecify.annotations.Nullable;

/// The status of a child of a [DynamicSupervisor], at one moment.
///
/// {@snippet class=dev.heddle.process.SupervisorSnippetsTest region=dynamic}
///
/// @param argument of its [DynamicSupervisor.StartChild]
/// @param state of the child; never [State#WAITING]
/// @param pid of the process that runs, or ran last
/// @param starts the number of starts
/// @param exit of the last process; null while the child has one. If no process could be made, its
///   PID has the number 0 and belongs to no process
/// @since 0.1
public record DynamicChildStatus(
    @Nullable Object argument, State state, Pid pid, int starts, @Nullable Exit exit) {}
