// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Pid;
import dev.heddle.process.dispatch.PendingCommand;
import dev.heddle.process.fiber.Awaited;
import dev.heddle.process.fiber.FiberView;
import dev.heddle.process.instance.CommandTable;
import dev.heddle.process.instance.ProcessInstance;
import org.jspecify.annotations.Nullable;

/// The wait of a process for one other process, during which it handles nothing else.
///
/// @param waits the process that waits
/// @param token identifies this wait: an object that belongs to no other
/// @param of the process it waits for
record ProcessWait(ProcessInstance waits, Object token, Pid of) {
  /// The wait of a process; null when it has none, waits for several processes, or for something
  /// that others may bring. Any thread.
  static @Nullable ProcessWait of(ProcessInstance process) {
    // safe: a racy read; two checks that find the same token prove that the wait lasted in between
    FiberView body = process.body();
    Awaited wait = body == null ? null : body.thread().awaited();
    if (wait != null) {
      return wait.isOver() ? null : new ProcessWait(process, wait, wait.of());
    }
    CommandTable commands = process.commands();
    PendingCommand<?> only =
        commands == null || !process.awaitsCommandsOnly() ? null : commands.only();
    if (only == null) {
      return null;
    }
    Pid answerer = only.answerer();
    return answerer == null ? null : new ProcessWait(process, only, answerer);
  }

  /// Whether a process has such a wait, or may begin one without announcing it again. Any thread.
  static boolean mayCome(ProcessInstance process) {
    if (of(process) != null) {
      return true;
    }
    CommandTable commands = process.commands();
    PendingCommand<?> only = commands == null ? null : commands.only();
    return only == null
        ? process.pendingCommands() > 1
        : only.answerer() != null; // with its step still to end
  }
}
