// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.instance;

import dev.heddle.process.ProcessCommand;
import dev.heddle.process.dispatch.PendingCommand;
import dev.heddle.process.fiber.FiberView;
import dev.heddle.process.scheduler.Task;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The pending commands of a process, by tag. Used by the worker that steps it.
public final class CommandTable {
  // the usual case: one at a time
  private @Nullable PendingCommand<?> only;
  private @Nullable Map<Long, PendingCommand<?>> more;

  // for reports: the one requested last, until all have their results
  private @Nullable PendingCommand<?> last;

  /// Adds a command.
  ///
  /// @throws IllegalStateException when its tag is in use
  void add(PendingCommand<?> pending, ProcessCommand<?> command) {
    if (find(pending.tag()) != null) {
      throw new IllegalStateException(
          "the tag %d belongs to a command that has no result yet; use another one for %s"
              .formatted(pending.tag(), command));
    }
    last = pending;
    if (only == null) {
      only = pending;
      return;
    }
    if (more == null) {
      more = new HashMap<>();
    }
    more.put(pending.tag(), pending);
  }

  @Nullable PendingCommand<?> find(long tag) {
    PendingCommand<?> one = only;
    if (one != null && one.tag() == tag) {
      return one;
    }
    return more == null ? null : more.get(tag);
  }

  /// Removes a command, whose result is about to be delivered.
  void remove(long tag) {
    PendingCommand<?> one = only;
    if (one != null && one.tag() == tag) {
      only = null;
    } else if (more != null) {
      more.remove(tag);
    }
    if (size() == 0) {
      last = null;
    }
  }

  /// The only pending command, or null if there are none or several; for reports.
  public @Nullable PendingCommand<?> only() {
    Map<Long, PendingCommand<?>> others = more; // safe: a racy read, also on another thread
    return others == null || others.isEmpty() ? only : null;
  }

  /// A description of the command requested last, or null; for reports.
  @Nullable String waitsFor() {
    PendingCommand<?> one = last; // safe: a racy read, also on another thread
    return one == null ? null : one.waitsFor();
  }

  /// A description of what a process waits for, or null; for reports.
  static @Nullable String waitsFor(
      Task.State state, @Nullable CommandTable commands, @Nullable FiberView body) {
    if (state != Task.State.BLOCKED && (state != Task.State.IDLE || body == null)) {
      return null;
    }
    String command = commands == null ? null : commands.waitsFor();
    if (body == null) {
      return command;
    }
    String what = body.waitsFor();
    boolean says = what != null && command != null && command.startsWith(what + ","); // and more
    String all = says ? command : what;
    return all == null || body.limit() == null ? all : all + " within " + body.limit();
  }

  int size() {
    return (only == null ? 0 : 1) + (more == null ? 0 : more.size());
  }

  /// Abandons all commands at the end of the process.
  void cancelAll() {
    if (only != null) {
      only.abandon();
    }
    if (more != null) {
      more.values().forEach(PendingCommand::abandon);
    }
  }
}
