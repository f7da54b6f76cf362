// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import org.jspecify.annotations.Nullable;

/// What a platform thread is like before it runs the code of others, and puts back behind each
/// piece of it: so the next piece finds nothing of the last one.
///
/// The thread's name, priority and context class loader are put back, the interrupt is cleared.
/// Thread-locals and the uncaught exception handler are taken away where the JVM lets Heddle have
/// virtual threads of its own ([VirtualThreads#problem] is null); elsewhere they stay.
///
/// **Thread** the one that it is of. **Cost** some reads of fields when nothing has changed; a look
/// at each slot of the table while there are thread-locals of the JDK's own.
public final class PlatformThreadState {
  private final Thread thread;
  private final String name;
  private final int priority;
  private final @Nullable ClassLoader loader;

  /// Of a thread, as it is now.
  public PlatformThreadState(Thread thread) {
    this.thread = thread;
    this.name = thread.getName();
    this.priority = thread.getPriority();
    this.loader = thread.getContextClassLoader();
  }

  /// Makes the current thread again what it was.
  public void restore() {
    if (isTouched()) {
      try {
        putBack();
      } catch (OutOfMemoryError | StackOverflowError _) {
        // safe: the next call puts back what this one has not
      }
    }
  }

  /// Reads only, and is small enough to be compiled into the loop of a worker.
  private boolean isTouched() {
    return thread.isInterrupted()
        || name != thread.getName()
        || thread.getPriority() != priority
        || thread.getContextClassLoader() != loader
        || VirtualThreads.hasBindings(thread);
  }

  private void putBack() {
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
