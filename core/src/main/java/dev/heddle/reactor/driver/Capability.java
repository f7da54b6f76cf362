// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

/// A capability of a driver: a kind of I/O that a loop may offer.
public enum Capability {
  /// TCP connections and listeners.
  TCP,
  /// UNIX domain sockets.
  UNIX,
  /// UNIX domain datagram sockets.
  UNIX_DATAGRAM,
  /// Abstract names of UNIX domain sockets.
  ABSTRACT_ADDRESS,
  /// Credentials of a UNIX domain socket's peer.
  PEER_CREDENTIALS,
  /// Passing of file descriptors to another process through a UNIX domain socket.
  DESCRIPTOR_PASSING,
  /// Datagrams.
  UDP,
  /// Adoption of JDK channels that other code has opened.
  ADOPTED_CHANNEL,
  /// Adoption of sockets and pipes by file descriptor.
  ADOPTED_DESCRIPTOR,
  /// Anonymous pipes.
  PIPE,
  /// Readiness of channels that other code has opened.
  POLL,
  /// Readiness of file descriptors that other code has opened.
  RAW_POLL,
  /// Files.
  FILE,
  /// Transfers from files to sockets that do not copy bytes through the program.
  SENDFILE,
  /// Named pipes.
  NAMED_PIPE,
  /// Standard input and output.
  STDIO,
  /// Terminals.
  TTY
}
