// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Pid;
import dev.heddle.process.dispatch.PendingCommand;
import dev.heddle.process.fiber.Awaited;
import dev.heddle.process.fiber.FiberView;
import dev.heddle.process.instance.CommandTable;
import dev.heddle.process.instance.ProcessInstance;
import org.jspecify.annotations.Nullable;

/// The wait of a process for one other, which keeps it from whatever else comes.
///
/// @param waits the process
/// @param token tells this wait from any other: an object that is this wait's only
/// @param of whom it waits for
record ProcessWait(ProcessInstance waits, Object token, Pid of) {
  /// The wait of a process; null when it has none, also when it waits for several, or for something
  /// that others may bring. Any thread.
  static @Nullable ProcessWait of(ProcessInstance process) {
    // safe: read at some moment; of two looks that find the same token, it has lasted between them
    FiberView body = process.body();
    Awaited wait = body == null ? null : body.thread().awaited();
    if (wait != null) {
      return wait.isOver() ? null : new ProcessWait(process, wait, wait.of());
    }
    CommandTable commands = process.commands();
    PendingCommand<?> only =
        commands == null || !process.isAwaitingCommandsOnly() ? null : commands.only();
    if (only == null) {
      return null;
    }
    Pid answerer = only.answerer();
    return answerer == null ? null : new ProcessWait(process, only, answerer);
  }

  /// Whether a process has such a wait, or may come to have one without saying so again. Any
  /// thread.
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
