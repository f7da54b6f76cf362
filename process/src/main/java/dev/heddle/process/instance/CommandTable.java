// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.instance;

import dev.heddle.process.ProcessCommand;
import dev.heddle.process.dispatch.PendingCommand;
import dev.heddle.process.fiber.FiberView;
import dev.heddle.process.scheduler.Task;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The commands of a process that have no result yet, by tag. The worker that steps it only.
public final class CommandTable {
  // the usual case: one at a time
  private @Nullable PendingCommand<?> only;
  private @Nullable Map<Long, PendingCommand<?>> more;

  // for reports: the one that was yielded last, until all have their results
  private @Nullable PendingCommand<?> last;

  /// Those of a process, which are not there before the first, with one more.
  ///
  /// @throws IllegalStateException when its tag is in use
  static CommandTable with(
      @Nullable CommandTable before,
      PendingCommand<?> invocation,
      ProcessCommand<?> processCommand) {
    CommandTable all = before == null ? new CommandTable() : before;
    all.add(invocation, processCommand);
    return all;
  }

  private void add(PendingCommand<?> invocation, ProcessCommand<?> processCommand) {
    if (find(invocation.tag()) != null) {
      throw new IllegalStateException(
          "the tag "
              + invocation.tag()
              + " belongs to a command that has no result yet; use another one for "
              + processCommand);
    }
    last = invocation;
    if (only == null) {
      only = invocation;
      return;
    }
    if (more == null) {
      more = new HashMap<>();
    }
    more.put(invocation.tag(), invocation);
  }

  @Nullable PendingCommand<?> find(long tag) {
    PendingCommand<?> one = only;
    if (one != null && one.tag() == tag) {
      return one;
    }
    return more == null ? null : more.get(tag);
  }

  /// Its result is about to be seen.
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

  /// The only one there is, or null; for reports.
  public @Nullable PendingCommand<?> only() {
    Map<Long, PendingCommand<?>> others = more; // safe: read at some moment, also on another thread
    return others == null || others.isEmpty() ? only : null;
  }

  /// The one that was yielded last, in words, or null; for reports.
  @Nullable String waitsFor() {
    PendingCommand<?> one = last; // safe: read at some moment, also on another thread
    return one == null ? null : one.waitsFor();
  }

  /// What a process waits for, in words, or null; for reports.
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

  /// The process has ended: nobody will see the results.
  void cancelAll() {
    if (only != null) {
      only.abandon();
    }
    if (more != null) {
      more.values().forEach(PendingCommand::abandon);
    }
  }
}
