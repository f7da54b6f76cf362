// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

/// The loop, as its driver sees it.
@FunctionalInterface
public interface DriverHost {
  /// Whether `thread`, which asks about itself, is the carrier, or a context mounted on it.
  /// **Thread** any.
  boolean isLoopThread(Thread thread);

  /// The loop's thread, which a driver parks and wakes. By default the one that asks: of a host
  /// whose drivers are opened on the carrier itself.
  default Thread carrier() {
    return Thread.currentThread();
  }
}
