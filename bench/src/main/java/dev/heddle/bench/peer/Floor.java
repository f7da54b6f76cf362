// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Executor;

/// The floor: one bare virtual thread whose executor only keeps the task, and nothing else around
/// it.
///
/// There is no queue, no status, no loop: whoever measures calls [#resume()] in a fixed order. What
/// a safe loop can reach on this JDK is this figure; what it adds is its own share.
final class Floor implements Executor {
  private static final MethodHandle NEW_VIRTUAL_THREAD = newVirtualThread();

  private final Thread thread;
  private Runnable task; // measuring thread only: nobody else unparks

  Floor(Runnable body) {
    thread = create(this, body);
    task = () -> {};
  }

  /// Makes the thread known to the JDK; the first resume runs its body.
  Floor start() {
    thread.start();
    return this;
  }

  /// Runs the thread until it suspends or ends.
  void resume() {
    task.run();
  }

  @Override
  public void execute(Runnable command) {
    task = command;
  }

  private static Thread create(Executor executor, Runnable body) {
    try {
      return (Thread) NEW_VIRTUAL_THREAD.invokeExact(executor, (String) null, 0, body);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("Cannot make a virtual thread on an own executor", e);
    }
  }

  private static MethodHandle newVirtualThread() {
    try {
      Class<?> builders = Class.forName("java.lang.ThreadBuilders");
      return MethodHandles.privateLookupIn(builders, MethodHandles.lookup())
          .findStatic(
              builders,
              "newVirtualThread",
              MethodType.methodType(
                  Thread.class, Executor.class, String.class, int.class, Runnable.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
