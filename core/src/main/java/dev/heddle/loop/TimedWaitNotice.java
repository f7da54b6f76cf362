// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.observe.log.AsyncLog;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Says once, at debug level, why the JDK serves timed waits of coroutines and not their loops.
final class TimedWaitNotice {
  /// Of all loops of this JVM.
  static final TimedWaitNotice OF_ALL = new TimedWaitNotice();

  private final AtomicBoolean said = new AtomicBoolean();

  TimedWaitNotice() {}

  /// @param problem null: loops serve them, and nothing is said
  void sayOnce(@Nullable String problem, AsyncLog log) {
    if (problem != null && said.compareAndSet(false, true)) {
      log.debug("timed waits of the JDK are no timers of the loop: " + problem, null);
    }
  }
}
