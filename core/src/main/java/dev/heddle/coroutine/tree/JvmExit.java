// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.HeddleOptions;
import dev.heddle.Registration;
import java.time.Duration;

/// Lets a loop end gracefully when the JVM exits: by `System.exit`, by a signal that nobody
/// handles, or because only daemon threads are left.
final class JvmExit {
  private static final Duration TO_END = Duration.ofSeconds(1); // contexts and driver, with room

  private JvmExit() {}

  /// Adds a hook to the JVM that stops `loop` and waits for it, as long as that may take; taken
  /// back when the loop has ended.
  static Registration stops(LoopRoot loop) {
    Thread hook =
        Thread.ofPlatform()
            .name(loop.options().name() + "-exit")
            .inheritInheritableThreadLocals(false)
            .unstarted(() -> stop(loop));
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException _) {
      // safe: the JVM exits already, and whoever starts a loop now does so in a hook of its own
      return () -> {};
    }
    return () -> remove(hook);
  }

  private static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // safe: the JVM exits, and the hook runs; it finds the loop ended
    }
  }

  private static void stop(LoopRoot loop) {
    loop.shutdown().requestForJvm();
    HeddleOptions options = loop.options();
    // one after the other: beyond them a coroutine holds the carrier, and would hold the JVM
    loop.awaitEnd(options.shutdownDeadline());
    loop.awaitEnd(options.gracePeriod());
    loop.awaitEnd(TO_END);
  }
}
