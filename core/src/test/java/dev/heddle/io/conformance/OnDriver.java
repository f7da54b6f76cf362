// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import org.junit.jupiter.api.BeforeEach;

/// A test that runs on a driver which it has chosen itself; others run on that of the JVM.
interface OnDriver {
  /// The driver's name.
  String driver();

  @BeforeEach
  default void requireDriver() {
    Cell.require(driver());
  }

  /// The row, where the same tests serve several; else the class says it.
  default String handle() {
    return getClass().getAnnotation(Proves.class).value();
  }
}
