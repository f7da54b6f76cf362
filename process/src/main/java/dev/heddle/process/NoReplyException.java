// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// A process has ended without replying to a request.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=noReply}
///
/// @since 0.1
public final class NoReplyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Exit exit;

  /// For a request to a process that has ended with `exit`.
  public NoReplyException(Exit exit) {
    super(exit.pid() + " has ended without a reply: " + exit.reason(), exit.cause());
    this.exit = exit;
  }

  /// Records no stack trace: it would be that of the end of the process, and one process may leave
  /// hundreds of thousands of requests.
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }

  /// The exit of the process.
  public Exit exit() {
    return exit;
  }
}
