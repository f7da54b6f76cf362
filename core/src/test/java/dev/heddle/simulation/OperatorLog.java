// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.observe.log.AsyncLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// What loops tell the operator, of one program after the other.
///
/// The thread that writes the log reads the failures, under their monitors. It waits here until the
/// loop has ended and waits for it: else a coroutine that reads the same failure could wait for
/// that thread, and what the program does next would depend on the machine.
final class OperatorLog extends Handler implements AutoCloseable {
  /// Why a failure was reported.
  enum Why {
    /// A supervised scope ended, and nobody had taken the failure of a member.
    UNTAKEN("unobserved failure of coroutine"),
    /// A scope was left without a join, and had failed.
    UNJOINED("a member failed in a scope that was not joined"),
    /// Past the shutdown deadline nobody awaits those who are left in a scope.
    LATE("a member failed after the end of its scope"),
    /// It stands in the report of a failure that was reported.
    GAVE_WAY("a failure was superseded by the one reported above"),
    /// Anything else: a promise that failed and that nobody awaited.
    UNCLAIMED("");

    private final String beginning;

    Why(String beginning) {
      this.beginning = beginning;
    }

    static Why of(String text) {
      for (Why why : values()) {
        if (text.startsWith(why.beginning)) {
          return why;
        }
      }
      throw new AssertionError(text);
    }
  }

  record Entry(String text, Why why, Throwable failure) {}

  private final Logger logger = Logger.getLogger("dev.heddle");
  private volatile @Nullable Thread carrier; // of a loop whose lines are held back
  private final List<Entry> entries = new ArrayList<>();

  /// Open, until it is closed, in place of the usual log.
  OperatorLog() {
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
  }

  @Override
  public void publish(LogRecord record) {
    Thread heldBack = carrier;
    while (heldBack != null && !(LockSupport.getBlocker(heldBack) instanceof AsyncLog)) {
      Thread.onSpinWait();
      heldBack = carrier;
    }
    add(record);
  }

  private synchronized void add(LogRecord record) {
    @Nullable Throwable failure = record.getThrown();
    if (failure != null) {
      entries.add(new Entry(record.getMessage(), Why.of(record.getMessage()), failure));
    }
  }

  /// Runs a loop on this thread, and holds its lines back until it has ended and waits for them.
  ///
  /// The thread that writes the log reads the failures, under their monitors. A coroutine that
  /// reads the same failure could have to wait for it, and what the program does next would depend
  /// on the machine.
  <T extends @Nullable Object> T holdingBack(Supplier<T> loop) {
    carrier = Thread.currentThread();
    try {
      return loop.get();
    } finally {
      carrier = null;
    }
  }

  /// The entries since the last call.
  synchronized List<Entry> take() {
    List<Entry> taken = List.copyOf(entries);
    entries.clear();
    return taken;
  }

  static long count(List<Entry> entries, Predicate<Entry> which) {
    return entries.stream().filter(which).count();
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
