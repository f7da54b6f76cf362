// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/// SIGINT and SIGTERM while a loop that asked for them runs: the first one stops the loop, the second one the process.
final class ProcessSignals implements AutoCloseable {
  private record Replaced(Signal signal, SignalHandler by) {}

  private final List<Replaced> replaced = new ArrayList<>();

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
    Signal signal = new Signal(name);
    SignalHandler first =
        new SignalHandler() {
          private boolean again;

          @Override
          public void handle(Signal raised) {
            int code = 128 + raised.getNumber(); // as shells report it
            if (again) {
              Runtime.getRuntime().halt(code);
            }
            again = true;
            loop.requestShutdown("SIG" + name, code, loop.options().shutdownDeadline());
          }
        };
    replaced.add(new Replaced(signal, Signal.handle(signal, first)));
  }

  @Override
  public void close() {
    for (Replaced r : replaced) {
      Signal.handle(r.signal(), r.by());
    }
  }
}
