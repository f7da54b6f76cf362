// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.CommandHandler;
import dev.heddle.process.ProcessCommand;
import java.util.IdentityHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The handlers of commands. Filled by any thread until it is frozen, then read by all workers
/// without a lock.
public final class CommandRegistry {
  private final ReentrantLock lock = new ReentrantLock();

  // under the lock until frozen, then constant
  private final IdentityHashMap<Class<?>, CommandHandler<?, ?>> handlers = new IdentityHashMap<>();

  // written under the lock, after the last change of the map
  private volatile boolean frozen;

  public CommandRegistry() {}

  /// Copies the handlers to a registry that is not frozen.
  public CommandRegistry copy() {
    CommandRegistry copy = new CommandRegistry();
    lock.lock();
    try {
      copy.handlers.putAll(handlers);
    } finally {
      lock.unlock();
    }
    return copy;
  }

  /// Registers the handler of the commands of a class.
  ///
  /// @throws IllegalStateException when the class has a handler, or the registry is frozen
  public <C extends ProcessCommand<R>, R extends @Nullable Object> void register(
      Class<C> type, CommandHandler<C, R> handler) {
    lock.lock();
    try {
      if (frozen) {
        throw new IllegalStateException(
            "the handler of %s comes too late; give it to the builder before start()"
                .formatted(type.getName()));
      }
      CommandHandler<?, ?> before = handlers.putIfAbsent(type, handler);
      if (before != null) {
        throw new IllegalStateException(
            type.getName() + " has a handler already; a class of commands has one");
      }
    } finally {
      lock.unlock();
    }
  }

  /// A handler of the runtime itself, which knows more of the process than other handlers.
  interface Start<C extends ProcessCommand<R>, R extends @Nullable Object> {
    void begin(C command, PendingCommand<R> pending) throws Exception;
  }

  /// Registers a handler of the runtime itself, which begins the command within the step.
  <C extends ProcessCommand<R>, R extends @Nullable Object> void inline(
      Class<C> type, Start<C, R> start) {
    register(
        type,
        CommandHandler.inline(
            (command, pending) -> start.begin(command, (PendingCommand<R>) pending)));
  }

  public void freeze() {
    lock.lock();
    try {
      frozen = true;
    } finally {
      lock.unlock();
    }
  }

  public @Nullable CommandHandler<?, ?> get(Class<?> type) {
    if (frozen) {
      return handlers.get(type); // safe: constant since the volatile write that was just read
    }
    lock.lock();
    try {
      return handlers.get(type);
    } finally {
      lock.unlock();
    }
  }

  public boolean has(Class<?> type) {
    return get(type) != null;
  }
}
