// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.pipe;

import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import java.util.function.BooleanSupplier;

/// Fires when a pipe's next call would not block.
final class Readiness extends EventSource {
  private final String what;
  private final BooleanSupplier condition;

  Readiness(HomeLoop home, String what, BooleanSupplier condition) {
    super(home);
    this.what = what;
    this.condition = condition;
  }

  /// Fires the event.
  void notifySubscribers() {
    settled();
    fire(null, null);
  }

  @Override
  public boolean isClosed() {
    return condition.getAsBoolean();
  }

  @Override
  public boolean isDaemon() {
    return false;
  }

  @Override
  public String info() {
    return what;
  }
}
