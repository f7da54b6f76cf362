// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.scheduler.Worker;

/// A request has failed: its cause says how.
///
/// @since 0.1
public final class AskFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Pid receiver;

  /// A request to `receiver` that has failed with `cause`.
  public AskFailedException(Pid receiver, Throwable cause) {
    super("the request to " + receiver + " has failed: " + cause.getMessage(), cause);
    this.receiver = receiver;
  }

  /// Takes no trace on a worker, where an answer or an end has come in: one end may fail hundreds
  /// of thousands of requests. A body that waits for the answer adds its own frames.
  @Override
  public synchronized Throwable fillInStackTrace() {
    return Worker.current() == null ? super.fillInStackTrace() : this;
  }

  /// Who was asked.
  public Pid receiver() {
    return receiver;
  }
}
