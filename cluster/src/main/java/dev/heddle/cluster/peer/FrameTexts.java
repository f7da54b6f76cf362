// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.RemoteFailure;
import dev.heddle.cluster.wire.Frame.ExitText;
import dev.heddle.cluster.wire.Frame.FailureText;
import dev.heddle.cluster.wire.Limits;
import dev.heddle.cluster.wire.UndecodableMessageException;
import dev.heddle.process.Exit;
import dev.heddle.process.NoReplyException;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Pid;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;

/// Exits and failures as they travel. Any thread.
///
/// An exception travels as text, since its class may not exist at the other node. Two that `ask`
/// promises are recognized: that the process has not accepted the request, and that it has ended
/// without a reply.
final class FrameTexts {
  private static final String NO_REPLY = NoReplyException.class.getName();
  private static final String NOT_SENT = SendFailedException.class.getName();

  private final SessionContents contents;
  private final String other;

  /// @param other the name of the other node
  FrameTexts(SessionContents contents, String other) {
    this.contents = contents;
    this.other = other;
  }

  // ---- exits ----

  /// A result or a detail that cannot be encoded is left out; the cause says so.
  ExitText of(Exit exit) {
    byte[] result = null;
    byte[] detail = null;
    Throwable cause = exit.cause();
    try {
      result = exit.result() == null ? null : contents.encode(exit.result());
      detail = exit.detail() == null ? null : contents.encode(exit.detail());
    } catch (NotSendableException e) {
      cause = cause == null ? e : cause;
    }
    return new ExitText(exit.reason(), result, cause == null ? null : of(cause), detail);
  }

  /// A result or a detail that cannot be decoded is left out; the cause says so.
  Exit exit(Pid pid, ExitText text) {
    Object result = null;
    Object detail = null;
    Throwable cause = text.cause() == null ? null : failure(text.cause());
    try {
      result = text.result() == null ? null : contents.decode(text.result());
      detail = text.detail() == null ? null : contents.decode(text.detail());
    } catch (UndecodableMessageException e) {
      cause = cause == null ? e : cause;
    }
    return new Exit(pid, text.reason(), result, cause, detail);
  }

  // ---- failures ----

  FailureText of(Throwable failure) {
    return failure instanceof RemoteFailure remote
        ? new FailureText(remote.type(), remote.remoteMessage(), remote.remoteTrace())
        : new FailureText(failure.getClass().getName(), messageOf(failure), traceOf(failure));
  }

  /// The failure of a request.
  ///
  /// @param asked the process that the request was for
  FailureText ofAsk(Throwable failure, Pid asked) {
    if (failure instanceof NoReplyException none && none.exit().pid().equals(asked)) {
      Throwable cause = none.exit().cause();
      return new FailureText(
          NO_REPLY, none.exit().reason().name(), cause == null ? "" : traceOf(cause));
    }
    return failure instanceof SendFailedException unsent && unsent.receiver().equals(asked)
        ? new FailureText(NOT_SENT, unsent.result().name(), "")
        : of(failure);
  }

  Throwable failure(FailureText text) {
    return new RemoteFailure(other, text.type(), text.message(), text.trace());
  }

  /// @param asked as above
  Throwable askFailure(FailureText text, Pid asked) {
    String message = text.message() == null ? "" : text.message();
    if (text.type().equals(NO_REPLY)) {
      for (Exit.Reason reason : Exit.Reason.values()) {
        if (reason.name().equals(message)) {
          Throwable cause = text.trace().isEmpty() ? null : failure(text);
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
    return failure(text);
  }

  /// The message of an exception, whose class may be any.
  private static @Nullable String messageOf(Throwable failure) {
    try {
      return failure.getMessage();
    } catch (RuntimeException e) {
      return "its getMessage() has thrown " + e.getClass().getName();
    }
  }

  private static String traceOf(Throwable failure) {
    StringWriter text = new StringWriter();
    try {
      failure.printStackTrace(new PrintWriter(text));
    } catch (RuntimeException e) {
      text.write("its trace cannot be printed: " + e.getClass().getName());
    }
    // the codec cuts at bytes
    return text.getBuffer().substring(0, Math.min(text.getBuffer().length(), Limits.TEXT_BYTES));
  }
}
