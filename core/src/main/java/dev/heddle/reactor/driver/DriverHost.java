// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

/// The loop, as its driver sees it.
@FunctionalInterface
public interface DriverHost {
  /// Whether the current thread, `thread`, is the carrier or a context mounted on it. **Thread**
  /// any.
  boolean isLoopThread(Thread thread);

  /// The loop's thread, which a driver parks and unparks. By default the calling thread, for hosts
  /// that open their drivers on the carrier.
  default Thread carrier() {
    return Thread.currentThread();
  }
}
