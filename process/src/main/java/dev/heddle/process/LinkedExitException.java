// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// The cause of an exit that has come over a link.
///
/// Along a line of links, each exit has one such exception of its own, and all of them have the
/// cause of the first exit: causes do not nest, however long the line is.
///
/// @since 0.1
public final class LinkedExitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Pid origin;

  private LinkedExitException(String message, Pid origin, @Nullable Throwable cause) {
    super(message, cause, false, false);
    this.origin = origin;
  }

  /// The cause of what follows from an exit.
  ///
  /// @param exit of the process at the other end of the link
  public static LinkedExitException after(Exit exit) {
    String linked = "linked to " + exit.pid() + ", which has ended: " + exit.reason();
    return exit.cause() instanceof LinkedExitException before
        ? new LinkedExitException(
            linked + "; that began with " + before.origin, before.origin, before.getCause())
        : new LinkedExitException(linked, exit.pid(), exit.cause());
  }

  /// The process whose end was the first.
  public Pid origin() {
    return origin;
  }
}
