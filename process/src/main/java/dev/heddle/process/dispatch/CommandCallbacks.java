// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.ProcessCommand;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The commands of one supervisor or pool without a result yet, with the callback of each.
public final class CommandCallbacks {
  private final Map<Long, Consumer<ProcessEvent>> byTag = new HashMap<>();
  private long lastTag = Long.MIN_VALUE; // far from tags of a process that it has replaced
  private @Nullable StepOutput out; // of the step that runs

  public void stepBegins(StepOutput output) {
    out = output;
  }

  /// Executes a command.
  ///
  /// @return its tag, never 0
  public long submit(ProcessCommand<?> command, Consumer<ProcessEvent> then) {
    long tag = ++lastTag;
    byTag.put(tag, then);
    Objects.requireNonNull(out).execute(tag, command);
    return tag;
  }

  /// Calls the callback of a command that has a result, unless the command was forgotten.
  public void completed(ProcessEvent event) {
    Consumer<ProcessEvent> then = byTag.remove(event.tag());
    if (then != null) {
      then.accept(event);
    }
  }

  public void forget(long tag) {
    byTag.remove(tag);
  }
}
