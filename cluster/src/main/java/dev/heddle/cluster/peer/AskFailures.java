// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.wire.Failures;
import dev.heddle.cluster.wire.Frame.FailureText;
import dev.heddle.process.Exit;
import dev.heddle.process.NoReplyException;
import dev.heddle.process.Pid;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;

/// The failures of requests as they travel: as all failures, but for the two that `ask` promises.
/// These are that the process has not accepted the request, and that it has ended without a reply.
final class AskFailures {
  private static final String NO_REPLY = NoReplyException.class.getName();
  private static final String NOT_SENT = SendFailedException.class.getName();

  private AskFailures() {}

  /// @param asked the process that the request was for
  static FailureText text(Throwable failure, Pid asked) {
    if (failure instanceof NoReplyException none && none.exit().pid().equals(asked)) {
      Throwable cause = none.exit().cause();
      String trace = cause == null ? "" : Failures.text(cause).trace();
      return new FailureText(NO_REPLY, none.exit().reason().name(), trace);
    }
    return failure instanceof SendFailedException unsent && unsent.receiver().equals(asked)
        ? new FailureText(NOT_SENT, unsent.result().name(), "")
        : Failures.text(failure);
  }

  /// @param asked the process that the request was for
  static Throwable of(FailureText text, Pid asked) {
    String message = text.message() == null ? "" : text.message();
    if (text.type().equals(NO_REPLY)) {
      for (Exit.Reason reason : Exit.Reason.values()) {
        if (reason.name().equals(message)) {
          Throwable cause = text.trace().isEmpty() ? null : Failures.of(asked.node(), text);
          return new NoReplyException(new Exit(asked, reason, null, cause));
        }
      }
    }
    if (text.type().equals(NOT_SENT)) {
      for (SendResult result : SendResult.values()) {
        if (result != SendResult.ACCEPTED && result.name().equals(message)) {
          return new SendFailedException(asked, result);
        }
      }
    }
    return Failures.of(asked.node(), text);
  }
}
