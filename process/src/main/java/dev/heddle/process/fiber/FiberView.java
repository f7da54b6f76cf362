// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.fiber;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A body for reports.
///
/// @param thread its fiber
/// @param waitsFor what it waits for; null when it runs, or waits for something of the JDK
/// @param limit the limit of that wait, or null
public record FiberView(ProcessFiber thread, @Nullable String waitsFor, @Nullable Duration limit) {
  public StackTraceElement[] stack() {
    return thread.stack();
  }
}
