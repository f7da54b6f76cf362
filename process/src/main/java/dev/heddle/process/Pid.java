// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.routing.LocalPid;
import dev.heddle.process.simulation.MessageValue;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The address of a process: node, host on that node, number, and the incarnation of the host, that
/// is which of its lives the number belongs to.
///
/// The text form is `{node@host|0x2a.3}`, or `{host|0x2a.3}` for the local node. A `{`, `}`, `@`,
/// `|` or backslash in a name is escaped with a backslash.
///
/// Two PIDs are equal when all four parts are. A PID that the runtime returned reaches its process
/// without a look-up, however long it is kept. A parsed PID is looked up at each use.
///
/// **Thread** any: a PID is immutable.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=pid}
///
/// @since 0.1
@MessageValue
public sealed class Pid permits LocalPid {
  private final String node;
  private final String host;
  private final long id;
  private final int incarnation;

  /// Creates an address.
  ///
  /// @param node empty for the local one
  /// @param host the host on that node, not empty
  /// @param id the number of the process
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

  /// Parses the text form that [#toString()] returns.
  ///
  /// @throws IllegalArgumentException when the text is not a PID; the message names the position
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

  /// Returns the same address in a form to keep for long. A PID that a start has returned
  /// references its process: it keeps that process's exit and result in memory for as long as the
  /// PID is kept. The address references nothing and is looked up at each use. Once its process has
  /// ended it leads nowhere, and the exit is reported as [Exit.Reason#NOT_FOUND].
  ///
  /// @return a PID equal to this one
  public Pid address() {
    return this;
  }

  @Override
  public final boolean equals(@Nullable Object o) {
    if (this == o) {
      return true;
    }
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
