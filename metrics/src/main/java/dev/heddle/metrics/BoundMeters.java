// SPDX-License-Identifier: Apache-2.0
package dev.heddle.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// The meters of one binder, which its end removes from their registries. **Thread** any.
///
/// @see LoopMetrics
final class BoundMeters implements AutoCloseable {
  private final String name;
  private final Queue<Runnable> removals = new ConcurrentLinkedQueue<>();
  private volatile boolean closed;

  /// @param name of what is metered, for messages
  BoundMeters(String name) {
    this.name = name;
  }

  /// Has the end remove a meter.
  void add(MeterRegistry registry, Meter meter) {
    onClose(() -> registry.remove(meter));
  }

  /// Has the end run an action; runs it at once when the end has come.
  void onClose(Runnable removal) {
    removals.add(removal);
    // safe: add, then read; close() writes, then polls: so one of the two threads sees the other's
    if (closed) {
      removeAll();
    }
  }

  @Override
  public void close() {
    closed = true;
    removeAll();
  }

  private void removeAll() {
    for (Runnable next = removals.poll(); next != null; next = removals.poll()) {
      next.run();
    }
  }

  @Override
  public String toString() {
    return "the meters of " + name;
  }
}
