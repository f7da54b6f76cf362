// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Registration;
import dev.heddle.scheduler.context.Signals;
import java.util.ArrayList;
import java.util.List;

/// SIGINT and SIGTERM while loops run that asked for them: the first one stops these loops, the
/// second one the process.
///
/// A signal has one handler in a process, so there is one for all loops: installed for the first of
/// them, taken away after the last. If each loop had its own, one that ends before a younger one
/// would put back what was there before itself, and the younger one would then put back a handler
/// of a loop that has ended.
final class ProcessSignals {
  private static final int SHELL_BASE = 128; // how shells report a death by signal
  private static final ProcessSignals OF_PROCESS = new ProcessSignals();

  // guarded by this; carriers come before their first and after their last coroutine
  private final List<LoopRoot> loops = new ArrayList<>();
  private final List<Registration> handlers = new ArrayList<>();
  private boolean raised;

  private ProcessSignals() {}

  /// Stops `loop` at a signal, until it is taken back.
  ///
  /// @throws IllegalArgumentException when the JVM keeps its signals to itself (`-Xrs`)
  static Registration stop(LoopRoot loop) {
    OF_PROCESS.add(loop);
    return () -> OF_PROCESS.remove(loop);
  }

  private void add(LoopRoot loop) {
    synchronized (this) {
      if (loops.isEmpty()) {
        install();
      }
      loops.add(loop);
    }
  }

  private void install() {
    try {
      handlers.add(Signals.handle("INT", number -> raised("SIGINT", number)));
      handlers.add(Signals.handle("TERM", number -> raised("SIGTERM", number)));
    } catch (RuntimeException e) {
      uninstall();
      throw e;
    }
  }

  private void uninstall() {
    handlers.forEach(Registration::close);
    handlers.clear();
    raised = false;
  }

  private void remove(LoopRoot loop) {
    synchronized (this) {
      loops.remove(loop);
      if (loops.isEmpty()) {
        uninstall();
      }
    }
  }

  // on a thread of the JVM's
  private void raised(String signal, int number) {
    synchronized (this) {
      if (raised) {
        Runtime.getRuntime().halt(SHELL_BASE + number);
      }
      raised = true;
      for (LoopRoot loop : loops) {
        loop.shutdown().request(signal, SHELL_BASE + number, loop.options().shutdownDeadline());
      }
    }
  }
}
