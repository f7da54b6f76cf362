// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

/// Which way bytes go through a descriptor.
public enum Direction {
  /// It can be read from, or accepted from, or the other side has hung up.
  READ,
  /// It can be written to, or has connected, or never will.
  WRITE
}
