// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import java.io.Serial;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;

/// An abstract name of a UNIX socket on Linux: a name that is not a file. It becomes free when the
/// last socket with it is closed (on the driver io_uring one turn later), and any process in the
/// same network namespace may connect to it.
///
/// {@snippet class=dev.heddle.snippets.UnixSnippetsTest region=abstract}
///
/// @since 0.1
public final class UnixAbstractAddress extends SocketAddress {
  @Serial private static final long serialVersionUID = 1L;

  private static final int MAX_LENGTH = 107; // bytes: Linux's limit, without the leading NUL

  /// Without the leading NUL.
  private final String name;

  private UnixAbstractAddress(String name) {
    this.name = name;
  }

  /// Creates an address.
  ///
  /// @param name without the leading NUL or `@`, of 107 bytes in UTF-8 at most
  /// @throws IllegalArgumentException when it is empty or longer
  public static UnixAbstractAddress of(String name) {
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (length == 0 || length > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "an abstract name has 1 to " + MAX_LENGTH + " bytes, not " + length);
    }
    return new UnixAbstractAddress(name);
  }

  /// The name.
  public String name() {
    return name;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof UnixAbstractAddress a && a.name.equals(name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  /// The name with a leading `@`, as `ss` and systemd write it.
  @Override
  public String toString() {
    return "@" + name;
  }
}
