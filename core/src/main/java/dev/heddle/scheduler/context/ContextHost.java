// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import dev.heddle.scheduler.inbox.Inbox;
import org.jspecify.annotations.Nullable;

/// The loop, seen from its execution contexts.
public interface ContextHost {
  /// Where a context posts itself when the JDK says it may go on.
  Inbox inbox();

  /// Whether `thread` is the one that mounts the contexts. Any thread.
  boolean isCarrier(Thread thread);

  /// Whether the loop is over.
  boolean hasEnded();

  /// The guest that takes over `context` without a switch, or null when the context is to rest.
  /// Called on the context's own thread, after a guest has ended.
  @Nullable Hosted nextOn(ExecutionContext context);

  /// The pool has contexts to end, when the carrier is free for it.
  void trimDue();

  /// A context of this host now rests in the JDK's hands for good: the loop had ended, or it broke.
  void broken(ExecutionContext context, Throwable failure);
}
