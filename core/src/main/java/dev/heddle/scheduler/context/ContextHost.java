// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import dev.heddle.scheduler.inbox.Inbox;
import org.jspecify.annotations.Nullable;

/// The loop, as its execution contexts see it.
public interface ContextHost {
  /// The inbox to which a context posts itself when the JDK resumes it.
  Inbox inbox();

  /// Whether `thread` mounts the contexts. **Thread** any.
  boolean isCarrier(Thread thread);

  /// Whether the loop has ended.
  boolean hasEnded();

  /// The occupant that takes over `context` without a switch; null: the context becomes idle.
  /// Called on the context's own thread, after a coroutine on it has ended.
  @Nullable ContextTask nextOn(ExecutionContext context);

  /// The pool has contexts to end as soon as the carrier is free to do so.
  void trimDue();

  /// A context of this host is lost to the loop: the loop had ended, or the context's code failed.
  void broken(ExecutionContext context, Throwable failure);
}
