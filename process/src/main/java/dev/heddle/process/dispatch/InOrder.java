// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.Command;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A command whose result stands in order with messages. The [Dispatcher] takes it apart.
public record InOrder<R extends @Nullable Object>(Command<R> command) implements Command<R> {
  public InOrder {
    Objects.requireNonNull(command, "command");
  }
}
