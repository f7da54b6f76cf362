// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.scheduler.WorkerThread;

/// A request has failed; the cause tells why.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=ask}
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

  /// Records no stack trace on a worker, where a reply or an exit arrives: one exit may fail
  /// hundreds of thousands of requests. A body that waits for the reply adds its own frames.
  @Override
  public synchronized Throwable fillInStackTrace() {
    return WorkerThread.currentWorker() == null ? super.fillInStackTrace() : this;
  }

  /// The process that was asked.
  public Pid receiver() {
    return receiver;
  }
}
