// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.fiber;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A body, as reports see it.
///
/// @param thread of it
/// @param waitsFor in words; null when it runs, or waits for something of the JDK
/// @param limit of that wait, if it has one
public record FiberView(ProcessFiber thread, @Nullable String waitsFor, @Nullable Duration limit) {
  /// Where it is, the innermost frame first.
  public StackTraceElement[] stack() {
    return thread.stack();
  }
}
