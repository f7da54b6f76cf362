// SPDX-License-Identifier: Apache-2.0
package worlds;

import java.util.TreeMap;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// What did not hold. Each violation is printed at once, with all that repeats its round.
///
/// **Thread** any.
final class Violations {
  private static final int SHOWN = 50; // of all; the others are counted

  private final Logger log = Logger.getLogger("dev.heddle.process"); // kept, or it is collected
  private final Map<String, Long> sums = new TreeMap<>();
  private final Map<String, Long> most = new TreeMap<>();
  private volatile Round round;
  private int count;

  /// The round that is judged from now on.
  void begin(Round next) {
    round = next;
  }

  /// Something did not hold in a world.
  synchronized void add(String world, String what) {
    if (++count <= SHOWN) {
      System.out.printf("VIOLATION in world %s of %s: %s%n", world, round, what);
    }
  }

  synchronized int count() {
    return count;
  }

  /// Lets what the runtime logs as an error count as a violation. Failures of processes, which are
  /// logged as warnings, are what these worlds are made of.
  void watchTheLog() {
    log.setUseParentHandlers(false);
    log.setLevel(Level.SEVERE);
    log.addHandler(
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            add("(log)", entry.getMessage() + " " + entry.getThrown());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        });
  }

  // ---- what has been done, for the reader ----

  synchronized void sum(String what, long much) {
    sums.merge(what, much, Long::sum);
  }

  synchronized void most(String what, long much) {
    most.merge(what, much, Math::max);
  }

  synchronized String done() {
    return sums + ", at most " + most;
  }
}
