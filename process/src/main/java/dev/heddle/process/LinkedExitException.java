// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// The cause of an exit that a link has propagated.
///
/// Along a chain of links each exit has its own exception of this class, and all of them have the
/// cause of the first exit. So causes do not nest, however long the chain is.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=exit}
///
/// @since 0.1
public final class LinkedExitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Pid origin;

  private LinkedExitException(String message, Pid origin, @Nullable Throwable cause) {
    super(message, cause, false, false);
    this.origin = origin;
  }

  /// The cause of the exit that another exit leads to.
  ///
  /// @param exit the exit of the process at the other end of the link
  public static LinkedExitException after(Exit exit) {
    String linked = "linked to " + exit.pid() + ", which has ended: " + exit.reason();
    return exit.cause() instanceof LinkedExitException before
        ? new LinkedExitException(
            linked + "; that began with " + before.origin, before.origin, before.getCause())
        : new LinkedExitException(linked, exit.pid(), exit.cause());
  }

  /// The process at which the chain of exits began.
  public Pid origin() {
    return origin;
  }
}
