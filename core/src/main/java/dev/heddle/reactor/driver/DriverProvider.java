// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import org.jspecify.annotations.Nullable;

/// Provides a driver; found by the JDK's service loader.
///
/// **Thread** any; a provider has no state of a loop.
public interface DriverProvider {
  /// The driver's name, as in `-Dheddle.driver` and the loop's options.
  String name();

  /// A description in one line.
  String description();

  /// The priority: by default, a loop uses the driver of the greatest priority without a
  /// [#problem()].
  int priority();

  /// Why the driver does not work on this machine, in one line that says what to do; null if it
  /// works. Determined once, by a trial.
  default @Nullable String problem() {
    return null;
  }

  /// Opens a driver for a loop. **Thread** the carrier, or a coroutine mounted on it.
  ReactorDriver open(DriverHost host);
}
