// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

/// The scheduler of the JDK's own virtual threads, which all tests of a JVM share.
public final class JdkScheduler {
  private static final int TURNS = 100;

  private JdkScheduler() {}

  /// Lets it run what this thread has given to it before: it takes what one thread gives in order,
  /// and threads that are given to it afterwards have had their turns.
  ///
  /// To wait until it is idle would be to wait for all other tests, too: one that has left a
  /// virtual thread which is pinned, or computes, keeps it busy for ever.
  public static void runWhatItHas() throws InterruptedException {
    for (int i = 0; i < TURNS; i++) {
      Thread.startVirtualThread(() -> {}).join();
    }
  }
}
