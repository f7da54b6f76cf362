// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.io.PrintStream;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/// A failure of a process of another node. It stands for an exception of that node, of which it has
/// the class name, the message and the stack trace as text. It has no cause and no stack trace of
/// this node; `printStackTrace` and loggers that use it print that of the other node.
///
/// {@snippet class=dev.heddle.cluster.ClusterSnippetsTest region=failure}
///
/// @since 0.1
public final class RemoteFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String node;
  private final String type;
  private final @Nullable String remoteMessage;
  private final String remoteTrace;

  /// @param node where it happened
  /// @param type the class name of the exception there
  /// @param remoteMessage its message
  /// @param remoteTrace its stack trace with causes, perhaps cut
  public RemoteFailure(
      String node, String type, @Nullable String remoteMessage, String remoteTrace) {
    super(
        "on node '%s': %s".formatted(node, type)
            + (remoteMessage == null ? "" : ": " + remoteMessage),
        null,
        false,
        false);
    this.node = node;
    this.type = type;
    this.remoteMessage = remoteMessage;
    this.remoteTrace = remoteTrace;
  }

  /// The node where it happened.
  public String node() {
    return node;
  }

  /// The class name of the exception there, as `java.lang.IllegalStateException`. It is a text: the
  /// class may not exist here.
  public String type() {
    return type;
  }

  /// The message of the exception there.
  public @Nullable String remoteMessage() {
    return remoteMessage;
  }

  /// The stack trace there, with causes; of a long one, the first 8 KiB.
  public String remoteTrace() {
    return remoteTrace;
  }

  @Override
  public void printStackTrace(PrintStream out) {
    out.println(this + System.lineSeparator() + remoteTrace);
  }

  @Override
  public void printStackTrace(PrintWriter out) {
    out.println(this + System.lineSeparator() + remoteTrace);
  }
}
