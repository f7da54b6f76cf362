// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.trace;

import dev.heddle.internal.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// A count that a thread increments after each pause of [#NANOS]: what has happened between two
/// equal readings of it was short.
public final class TraceTicks {
  /// How long the thread that ticks sleeps between two ticks. A tick is later than that by what the
  /// system takes to wake the thread, without a bound; it is earlier only when the thread wakes for
  /// no reason, as the JDK allows.
  public static final long NANOS = 1_000_000;

  private static final VarHandle COUNT =
      VarHandles.find(MethodHandles.lookup(), "count", int.class);

  // the thread that ticks
  private int count;

  /// How often it has ticked. **Thread** any.
  public int count() {
    return (int) COUNT.getOpaque(this);
  }

  /// Ticks. **Thread** one.
  public void tick() {
    COUNT.setOpaque(this, count + 1);
  }
}
