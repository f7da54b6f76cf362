// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

/// What a loop can do with the world outside through its driver.
public enum Facility {
  /// TCP connections and listeners.
  TCP,
  /// UNIX domain sockets.
  UNIX,
  /// Datagrams.
  UDP,
  /// Anonymous pipes.
  PIPE,
  /// Readiness of channels that other code has opened.
  POLL,
  /// Readiness of descriptors that other code has opened, known by their numbers.
  RAW_POLL,
  /// Files.
  FILE,
  /// Named pipes.
  NAMED_PIPE,
  /// Standard input and output.
  STDIO,
  /// Terminals.
  TTY
}
