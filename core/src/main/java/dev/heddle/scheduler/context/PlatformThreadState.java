// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import org.jspecify.annotations.Nullable;

/// The state of a platform thread before it runs user code, restored after each piece of that code,
/// so that the next piece finds nothing of the last one.
///
/// Restores the thread's name, priority and context class loader, and clears the interrupt flag.
/// Removes thread-locals and the uncaught exception handler where the JVM lets Heddle create
/// virtual threads of its own ([VirtualThreads#problem] is null); elsewhere they stay.
///
/// **Thread** the thread itself. **Cost** a few field reads when nothing has changed; a scan of the
/// table of thread-locals while it contains some of the JDK's own.
public final class PlatformThreadState {
  private final Thread thread;
  private final String name;
  private final int priority;
  private final @Nullable ClassLoader loader;

  public PlatformThreadState(Thread thread) {
    this.thread = thread;
    this.name = thread.getName();
    this.priority = thread.getPriority();
    this.loader = thread.getContextClassLoader();
  }

  public void restore() {
    if (isTouched()) {
      try {
        restoreAll();
      } catch (OutOfMemoryError | StackOverflowError _) {
        // safe: the next call restores what this one has not
      }
    }
  }

  /// Only reads, and is small enough to be inlined into a worker's loop.
  private boolean isTouched() {
    return thread.isInterrupted()
        || name != thread.getName()
        || thread.getPriority() != priority
        || thread.getContextClassLoader() != loader
        || VirtualThreads.hasBindings(thread);
  }

  private void restoreAll() {
    var _ = Thread.interrupted();
    if (!name.equals(thread.getName())) {
      thread.setName(name);
    }
    if (thread.getPriority() != priority) {
      thread.setPriority(priority);
    }
    if (thread.getContextClassLoader() != loader) {
      thread.setContextClassLoader(loader);
    }
    VirtualThreads.clearPlatformThread(thread);
  }
}
