// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.HeddleOptions;
import dev.heddle.Registration;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.scheduler.context.ExecutionContext;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/// Lets a loop end gracefully when the JVM exits: by `System.exit`, by a signal without a handler,
/// or because only daemon threads are left.
final class JvmExit {
  private static final Duration TO_END = Duration.ofSeconds(1); // for contexts and driver

  /// Threads of coroutines that outlived their loops, in a hook that watches over them.
  private record LeftBehind(List<WeakReference<Thread>> threads, int code) {}

  private static final AtomicReference<LeftBehind> LEFT_BEHIND =
      new AtomicReference<>(new LeftBehind(List.of(), 1));

  private JvmExit() {}

  /// Adds a shutdown hook that stops `loop` and waits for its end; removed when the loop has ended.
  static Registration register(LoopEnd loop) {
    Thread hook = hook(loop.options().name() + "-exit", () -> stop(loop));
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException _) {
      // safe: the JVM is exiting; a loop that starts now does so in a hook of the program
      return () -> {};
    }
    return () -> remove(hook);
  }

  private static Thread hook(String name, Runnable body) {
    return Thread.ofPlatform().name(name).inheritInheritableThreadLocals(false).unstarted(body);
  }

  private static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // safe: the JVM is exiting; the hook runs and finds the loop ended
    }
  }

  private static void stop(LoopEnd loop) {
    if (loop.isAbandoned()) {
      return; // out of time
    }
    loop.shutdown().requestForJvm();
    HeddleOptions options = loop.options();
    // one after the other: longer than that, a coroutine holds the carrier and would hold the JVM
    loop.await(options.shutdownDeadline());
    loop.await(options.gracePeriod());
    loop.await(TO_END);
    if (!loop.isOver()) {
      HaltTimer.afterExit(1, options.gracePeriod());
    }
  }

  /// Called when the loop ends without these coroutines. Another hook may wait for a lock that they
  /// hold (the log's, for example) when the JVM exits: the JVM is then halted after a grace period.
  ///
  /// @param code the likely exit code of the program
  static void leftBehind(List<CoroutineNode<?>> coroutines, int code) {
    List<WeakReference<Thread>> added = new ArrayList<>();
    Duration gracePeriod = Duration.ZERO;
    for (CoroutineNode<?> coroutine : coroutines) {
      ExecutionContext context = coroutine.context();
      if (context != null) {
        added.add(new WeakReference<>(context.thread()));
        gracePeriod = coroutine.tree().options().gracePeriod();
      }
    }
    if (!added.isEmpty() && remember(added, code)) {
      Duration patience = gracePeriod;
      try {
        Runtime.getRuntime()
            .addShutdownHook(hook("heddle-left-behind", () -> haltUnlessEnded(patience)));
      } catch (IllegalStateException _) {
        haltUnlessEnded(patience); // the JVM exits already
      }
    }
  }

  // true for the first ones of this JVM
  private static boolean remember(List<WeakReference<Thread>> added, int code) {
    LeftBehind before =
        LEFT_BEHIND.getAndUpdate(known -> {
          List<WeakReference<Thread>> all = new ArrayList<>(added);
          known.threads().stream().filter(JvmExit::isAlive).forEach(all::add);
          return new LeftBehind(List.copyOf(all), code);
        });
    return before.threads().isEmpty();
  }

  private static boolean isAlive(WeakReference<Thread> thread) {
    Thread left = thread.get();
    return left != null && left.isAlive();
  }

  private static void haltUnlessEnded(Duration patience) {
    LeftBehind left = LEFT_BEHIND.get();
    if (left.threads().stream().anyMatch(JvmExit::isAlive)) {
      HaltTimer.afterExit(left.code(), patience);
    }
  }
}
