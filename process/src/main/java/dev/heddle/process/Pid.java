// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.relay.Receiver;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The address of a process: node, host on that node, number, and which life of the host the number
/// belongs to.
///
/// Its text is `{node@host|0x2a.3}`, or `{host|0x2a.3}` where the node is the local one. A
/// backslash stands before each `{`, `}`, `@`, `|` or backslash that is part of a name.
///
/// Two are equal when all four parts are. A PID that the runtime has given out reaches its process
/// without a look-up, also when it is kept for long; one that was parsed is looked up.
///
/// **Thread** any: it is immutable.
///
/// @since 0.1
public final class Pid {
  private final String node;
  private final String host;
  private final long id;
  private final int incarnation;

  // what it leads to, known where the process lives; no part of the address
  private final transient @Nullable Receiver receiver;

  /// An address.
  ///
  /// @param node empty for the local one
  /// @param host on it, not empty
  /// @param id of the process
  /// @param incarnation which life of the host, not negative
  public Pid(String node, String host, long id, int incarnation) {
    this(node, host, id, incarnation, null);
  }

  private Pid(String node, String host, long id, int incarnation, @Nullable Receiver receiver) {
    this.node = Objects.requireNonNull(node, "node");
    this.host = Objects.requireNonNull(host, "host");
    this.id = id;
    this.incarnation = incarnation;
    this.receiver = receiver;
    if (host.isEmpty() || incarnation < 0) {
      throw new IllegalArgumentException(
          "a PID has a host and an incarnation that is not negative: " + this);
    }
  }

  /// The same address, leading straight to `receiver`.
  public Pid leadingTo(Receiver receiver) {
    return new Pid(node, host, id, incarnation, receiver);
  }

  /// Reads what [#toString()] has written.
  ///
  /// @throws IllegalArgumentException when it is no PID; the message says where
  public static Pid parse(String text) {
    return PidText.parse(text);
  }

  /// The node, empty for the local one.
  public String node() {
    return node;
  }

  /// The host on the node.
  public String host() {
    return host;
  }

  /// The number of the process.
  public long id() {
    return id;
  }

  /// Which life of the host.
  public int incarnation() {
    return incarnation;
  }

  /// The same address for long keeping. A PID that a start has returned leads straight to its
  /// process, and keeps how that has ended, with the result, for as long as the PID is kept. The
  /// address is looked up at each use and keeps nothing. Once its process has ended it leads to
  /// nobody: `exit` then says [Exit.Reason#NOT_FOUND].
  ///
  /// @return a PID equal to this one
  public Pid address() {
    return receiver == null ? this : new Pid(node, host, id, incarnation, null);
  }

  /// What it leads to, or null when it has to be looked up. For the runtime.
  public @Nullable Receiver receiver() {
    return receiver;
  }

  @Override
  public boolean equals(@Nullable Object o) {
    return o instanceof Pid other
        && id == other.id
        && incarnation == other.incarnation
        && host.equals(other.host)
        && node.equals(other.node);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(id) * 31 + incarnation;
  }

  @Override
  public String toString() {
    return PidText.of(this);
  }
}
