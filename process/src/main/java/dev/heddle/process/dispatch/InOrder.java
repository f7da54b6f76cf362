// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A command whose result stands in order with messages. The [Dispatcher] takes it apart.
record InOrder<R extends @Nullable Object>(Command<R> command) implements Command<R> {
  InOrder {
    Objects.requireNonNull(command, "command");
  }
}
