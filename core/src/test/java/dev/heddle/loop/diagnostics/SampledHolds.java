// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.loop.LoopRuntime;
import dev.heddle.observe.HoldReport;
import dev.heddle.observe.log.AsyncLog;
import org.jspecify.annotations.Nullable;

/// The look at holds, for tests that say when it looks.
public final class SampledHolds {
  private final HoldDetector watch;

  /// Of a loop.
  public SampledHolds(LoopRuntime loop) {
    this.watch =
        new HoldDetector(loop.tree(), new LoopReporter(loop.options(), AsyncLog.shared(), true));
  }

  /// Looks.
  ///
  /// @param now in nanoseconds
  /// @return whether the loop is awake
  public boolean sample(long now) {
    return watch.sample(now);
  }

  /// The hold that lasts and was told of, or null.
  public @Nullable HoldReport running() {
    return watch.running();
  }
}
