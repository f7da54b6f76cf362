// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import org.jspecify.annotations.Nullable;

/// Offers a driver to loops; found by the JDK's service loader.
///
/// **Thread** any; a provider keeps nothing of a loop's.
public interface DriverProvider {
  /// The driver's name: what `-Dheddle.driver` and the loop's options ask for.
  String name();

  /// What it is made of, one line.
  String description();

  /// Which one is taken when none is asked for: the greatest of those without a [#problem()].
  int priority();

  /// Why the driver does not work on this machine, one line that says what to do; null: it works.
  /// Found out by trying, once.
  default @Nullable String problem() {
    return null;
  }

  /// A driver for a loop. **Thread** the loop's: the carrier, or a coroutine mounted on it.
  ReactorDriver open(DriverHost host);
}
