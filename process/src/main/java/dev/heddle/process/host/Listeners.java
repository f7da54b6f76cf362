// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessListener;
import dev.heddle.process.StartOptions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/// The listeners of a host, called one after the other. Any thread.
final class Listeners {
  private final List<ProcessListener> all;
  private final BiConsumer<Exit, Throwable> failed;

  // refused starts, and the count of listeners that accepted before: these are notified of the end
  private final Map<Pid, Integer> refused = new ConcurrentHashMap<>();

  /// @param failed is called with the exception of a listener at an end
  Listeners(List<ProcessListener> all, BiConsumer<Exit, Throwable> failed) {
    this.all = List.copyOf(all);
    this.failed = failed;
  }

  /// Calls the listeners before a start. The first one that throws refuses it; later ones are not
  /// called.
  void starts(Pid pid, StartOptions options) throws Exception {
    for (int i = 0; i < all.size(); i++) {
      try {
        all.get(i).onStart(pid, options);
      } catch (Throwable t) {
        if (i > 0) {
          refused.put(pid, i);
        }
        throw t;
      }
    }
  }

  /// Calls the listeners after an end.
  ///
  /// @param announced whether all listeners have accepted its start
  void ended(Exit exit, boolean announced) {
    int agreed = announced ? all.size() : acceptedCount(exit.pid());
    for (int i = 0; i < agreed; i++) {
      try {
        all.get(i).onExit(exit);
      } catch (Throwable t) {
        failed.accept(exit, t);
      }
    }
  }

  private int acceptedCount(Pid pid) {
    Integer agreed = refused.isEmpty() ? null : refused.remove(pid);
    return agreed == null ? 0 : agreed;
  }
}
