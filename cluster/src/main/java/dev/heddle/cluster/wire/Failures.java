// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.cluster.RemoteFailure;
import dev.heddle.cluster.wire.Frame.ExitText;
import dev.heddle.cluster.wire.Frame.FailureText;
import dev.heddle.process.Exit;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Pid;
import org.jspecify.annotations.Nullable;

/// Failures and exits as they travel. No exception of the other node is created here: only a
/// [RemoteFailure] with its texts.
public final class Failures {
  private static final int MOST_CAUSES = 10;
  private static final int MOST_FRAMES = 20; // of each

  private Failures() {}

  /// A failure as it travels. One that came from another node keeps the texts it came with. What
  /// the program's own exception class throws, errors too, is a text as well: an asker waits for
  /// it.
  public static FailureText text(Throwable failure) {
    return failure instanceof RemoteFailure it
        ? new FailureText(it.type(), it.remoteMessage(), it.remoteTrace())
        : new FailureText(failure.getClass().getName(), messageOf(failure), traceOf(failure));
  }

  private static @Nullable String messageOf(Throwable failure) {
    try {
      String message = failure.getMessage();
      return message == null ? null : cut(message);
    } catch (Throwable t) {
      return "its message has thrown " + t.getClass().getName();
    }
  }

  private static String traceOf(Throwable failure) {
    try {
      return traceOfAll(failure);
    } catch (Throwable t) {
      return "its trace has thrown " + t.getClass().getName();
    }
  }

  /// The failure and its causes, of each the innermost frames: so the causes are within the limit.
  private static String traceOfAll(Throwable failure) {
    StringBuilder out = new StringBuilder();
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MOST_CAUSES; i++) { // causes may form a ring
      StackTraceElement[] frames = cause.getStackTrace();
      out.append(i == 0 ? "" : "Caused by: ").append(nameOf(cause)).append('\n');
      for (int k = 0; k < Math.min(frames.length, MOST_FRAMES); k++) {
        out.append("\tat ").append(frames[k]).append('\n');
      }
      if (frames.length > MOST_FRAMES) {
        out.append("\t... %d more\n".formatted(frames.length - MOST_FRAMES));
      }
      cause = cause.getCause();
    }
    return cut(out.toString());
  }

  private static String nameOf(Throwable failure) {
    String message = messageOf(failure);
    String name = failure.getClass().getName();
    return message == null
        ? name
        : name + ": " + message.substring(0, Math.min(message.length(), 500));
  }

  /// At most as many characters as a text has bytes.
  private static String cut(String text) {
    return text.substring(0, Math.min(text.length(), Limits.TEXT_BYTES));
  }

  /// A failure of another node.
  public static RemoteFailure of(String node, FailureText text) {
    return new RemoteFailure(node, text.type(), text.message(), text.trace());
  }

  /// An exit as it travels. A result or a detail that cannot be sent is left out; the failure says
  /// so.
  public static ExitText text(Exit exit, MessageWriter writer) {
    StringBuilder refused = new StringBuilder();
    byte[] result = encode(exit.result(), writer, "the result", refused);
    byte[] detail = encode(exit.detail(), writer, "the detail", refused);
    FailureText cause = exit.cause() == null ? null : text(exit.cause());
    if (!refused.isEmpty()) {
      cause =
          cause == null
              ? new FailureText(NotSendableException.class.getName(), refused.toString(), "")
              : new FailureText(cause.type(), cause.message(), cut(refused + cause.trace()));
    }
    return new ExitText(exit.reason(), result, cause, detail);
  }

  private static byte @Nullable [] encode(
      @Nullable Object value, MessageWriter writer, String what, StringBuilder refused) {
    if (value == null) {
      return null;
    }
    try {
      return writer.encode(value);
    } catch (Throwable t) { // what a codec throws, errors too, keeps no exit back
      String why = t instanceof NotSendableException ? t.getMessage() : t.getClass().getName();
      refused.append("%s of the process cannot be sent: %s%n".formatted(what, why));
      return null;
    }
  }

  /// An exit of a process of another node. A result or a detail that cannot be decoded is left out;
  /// the cause says so.
  public static Exit exit(Pid pid, ExitText text, MessageReader reader) {
    FailureText failure = text.cause();
    Throwable cause = failure == null ? null : of(pid.node(), failure);
    Object result = null;
    Object detail = null;
    try {
      result = text.result() == null ? null : reader.decode(text.result());
      detail = text.detail() == null ? null : reader.decode(text.detail());
    } catch (UndecodableMessageException e) {
      if (cause == null) {
        cause = e;
      } else {
        cause.addSuppressed(e);
      }
    }
    return new Exit(pid, text.reason(), result, cause, detail);
  }
}
