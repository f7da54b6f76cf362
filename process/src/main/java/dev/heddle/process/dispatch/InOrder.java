// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.ProcessCommand;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A command whose result is ordered with messages. The [Dispatcher] unwraps it.
public record InOrder<R extends @Nullable Object>(ProcessCommand<R> processCommand)
    implements ProcessCommand<R> {
  public InOrder {
    Objects.requireNonNull(processCommand, "command");
  }
}
