// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

/// What a loop can do with the world outside through its driver.
public enum Capability {
  /// TCP connections and listeners.
  TCP,
  /// UNIX domain sockets.
  UNIX,
  /// UNIX domain sockets for datagrams.
  UNIX_DATAGRAM,
  /// Names of UNIX domain sockets that are no files.
  ABSTRACT_ADDRESS,
  /// Who is on the other side of a UNIX domain socket.
  PEER_CREDENTIALS,
  /// Open descriptors, sent to another process by a UNIX domain socket.
  DESCRIPTOR_PASSING,
  /// Datagrams.
  UDP,
  /// Channels of the JDK's that other code has opened, as sockets of the loop.
  ADOPTED_CHANNEL,
  /// Sockets that another process has opened, known by their numbers.
  ADOPTED_DESCRIPTOR,
  /// Anonymous pipes.
  PIPE,
  /// Readiness of channels that other code has opened.
  POLL,
  /// Readiness of descriptors that other code has opened, known by their numbers.
  RAW_POLL,
  /// Files.
  FILE,
  /// Files that go to a socket without being brought into the program.
  SENDFILE,
  /// Named pipes.
  NAMED_PIPE,
  /// Standard input and output.
  STDIO,
  /// Terminals.
  TTY
}
