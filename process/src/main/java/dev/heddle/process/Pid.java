// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.routing.LocalPid;
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
public sealed class Pid permits LocalPid {
  private final String node;
  private final String host;
  private final long id;
  private final int incarnation;

  /// An address.
  ///
  /// @param node empty for the local one
  /// @param host on it, not empty
  /// @param id of the process
  /// @param incarnation which life of the host, not negative
  public Pid(String node, String host, long id, int incarnation) {
    this.node = Objects.requireNonNull(node, "node");
    this.host = Objects.requireNonNull(host, "host");
    this.id = id;
    this.incarnation = incarnation;
    if (host.isEmpty() || incarnation < 0) {
      throw new IllegalArgumentException(
          "a PID has a host and an incarnation that is not negative: " + this);
    }
  }

  /// Reads what [#toString()] has written.
  ///
  /// @throws IllegalArgumentException when it is no PID; the message says where
  public static Pid parse(String text) {
    return PidText.parse(text);
  }

  /// The node, empty for the local one.
  public final String node() {
    return node;
  }

  /// The host on the node.
  public final String host() {
    return host;
  }

  /// The number of the process.
  public final long id() {
    return id;
  }

  /// Which life of the host.
  public final int incarnation() {
    return incarnation;
  }

  /// The same address for long keeping. A PID that a start has returned leads straight to its
  /// process, and keeps how that has ended, with the result, for as long as the PID is kept. The
  /// address is looked up at each use and keeps nothing. Once its process has ended it leads to
  /// nobody: `exit` then says [Exit.Reason#NOT_FOUND].
  ///
  /// @return a PID equal to this one
  public Pid address() {
    return this;
  }

  @Override
  public final boolean equals(@Nullable Object o) {
    return o instanceof Pid other
        && id == other.id
        && incarnation == other.incarnation
        && host.equals(other.host)
        && node.equals(other.node);
  }

  @Override
  public final int hashCode() {
    return Long.hashCode(id) * 31 + incarnation;
  }

  @Override
  public final String toString() {
    return PidText.of(this);
  }
}
