// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.supervisor.ChildStatus.State;
import org.jspecify.annotations.Nullable;

/// How a child of a [DynamicSupervisor] is, at one moment.
///
/// @param argument with which it was asked for
/// @param state what it does; never [State#WAITING]
/// @param pid of the process that runs, or ran last
/// @param starts how often it was started
/// @param exit how it ended last, of a child that does not live; null while it lives. Of a start
///   for which no process could be made it has the number 0 in its PID, which is nobody's
/// @since 0.1
public record DynamicChildStatus(
    @Nullable Object argument, State state, Pid pid, int starts, @Nullable Exit exit) {}
