// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.scheduler.context.Signals;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// SIGINT and SIGTERM while a loop that asked for them runs: the first one stops the loop, the
/// second one the process.
final class ProcessSignals implements AutoCloseable {
  private static final int SHELL_BASE = 128; // how shells report a death by signal

  private final List<Runnable> restores = new ArrayList<>();
  private final AtomicBoolean raised = new AtomicBoolean();

  private ProcessSignals() {}

  /// Takes the signals over for `loop`; for null none.
  static ProcessSignals handledBy(@Nullable LoopRoot loop) {
    ProcessSignals signals = new ProcessSignals();
    if (loop != null) {
      signals.take("INT", loop);
      signals.take("TERM", loop);
    }
    return signals;
  }

  private void take(String name, LoopRoot loop) {
    restores.add(
        Signals.handle(
            name,
            number -> {
              if (raised.getAndSet(true)) {
                Runtime.getRuntime().halt(SHELL_BASE + number);
              }
              loop.requestShutdown(
                  "SIG" + name, SHELL_BASE + number, loop.options().shutdownDeadline());
            }));
  }

  @Override
  public void close() {
    restores.forEach(Runnable::run);
  }
}
