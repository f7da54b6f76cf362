// SPDX-License-Identifier: Apache-2.0
package dev.heddle.metrics;

import dev.heddle.process.QueueDelay;
import io.micrometer.core.instrument.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/// The delays of the last one to two minutes, or since the last but one reading when that is longer
/// ago: a runtime counts since its start, and after a day nothing would move that figure.
///
/// Only readings move the window, so nothing runs between two scrapes. **Thread** any; never waits.
final class QueueDelayWindow {
  private static final long STEP = TimeUnit.MINUTES.toNanos(1);

  /// @param base what the delays are counted from
  /// @param mark the next base
  /// @param nanos when the mark was read
  private record Window(QueueDelay base, QueueDelay mark, long nanos) {}

  private final Supplier<QueueDelay> source;
  private final Clock clock;
  private final AtomicReference<Window> window;

  QueueDelayWindow(Supplier<QueueDelay> source, Clock clock) {
    this.source = source;
    this.clock = clock;
    QueueDelay first = source.get();
    this.window = new AtomicReference<>(new Window(first, first, clock.monotonicTime()));
  }

  /// In nanoseconds, as [QueueDelay#percentile].
  double percentile(double part) {
    long nanos = clock.monotonicTime();
    Window current = window.get();
    QueueDelay now = source.get(); // after the window: nothing in it is later
    if (nanos - current.nanos >= STEP) {
      Window next = new Window(current.mark, now, nanos);
      // safe: if another reading was first, this one is of the window before it
      window.compareAndSet(current, next);
      current = next;
    }
    return now.since(current.base).percentile(part).toNanos();
  }
}
