// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

/// A direction of I/O on a descriptor.
public enum Direction {
  /// Ready to read or accept, or the peer has hung up.
  READ,
  /// Ready to write, or a connection attempt has succeeded or failed.
  WRITE
}
