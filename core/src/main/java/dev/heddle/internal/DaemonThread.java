// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

/// The runtime's own platform threads: daemons that inherit nothing from the thread that needs them
/// first.
public final class DaemonThread {
  private DaemonThread() {}

  /// A thread that has not been started.
  public static Thread of(String name, Runnable body) {
    return Thread.ofPlatform()
        .daemon()
        .inheritInheritableThreadLocals(false)
        .name(name)
        .unstarted(body);
  }

  /// Starts a thread; throws OutOfMemoryError when the system has no more.
  public static Thread start(String name, Runnable body) {
    Thread thread = of(name, body);
    start(thread);
    return thread;
  }

  /// The same, of a thread that [#of] has made. A simulation knows the threads of the runtime by
  /// this method: it leaves them to the JVM.
  public static void start(Thread thread) {
    thread.start();
  }
}
