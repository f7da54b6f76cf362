// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// A message was not accepted.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=send}
///
/// @since 0.1
public final class SendFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Pid receiver;
  private final @Nullable String name;
  private final SendResult result;

  /// For a message to `receiver`.
  public SendFailedException(Pid receiver, SendResult result) {
    super(
        switch (result) {
          case ACCEPTED -> throw new IllegalArgumentException("it was accepted");
          case FULL, DROPPED ->
              "the mailbox of "
                  + receiver
                  + " is full; send less, wait for replies, start it with a larger mailbox, or send"
                  + " by offer(), which returns what became of the message instead of throwing";
          case NOT_FOUND ->
              "process not found: "
                  + receiver
                  + "; it has ended, or never existed; monitor() reports"
                  + " its end, and offer() returns NOT_FOUND instead of throwing";
          case CLOSED -> "the runtime of " + receiver + " has shut down";
          case UNREACHABLE ->
              "no peer leads to "
                  + receiver
                  + "; a node of a cluster is connected again by itself: nodes() of the cluster"
                  + " says why it is not; without a cluster, connect its node by connect() of the"
                  + " runtime, its host by connectHost(), or join a cluster by Cluster.join()";
          case NOT_SENDABLE ->
              "the message cannot be encoded for the node of "
                  + receiver
                  + "; send() throws a NotSendableException that says why";
        });
    this.receiver = receiver;
    this.name = null;
    this.result = result;
  }

  /// For a message to a name that no process has.
  ///
  /// @param nobody an address that leads nowhere
  SendFailedException(String name, Pid nobody) {
    super(
        "no process has the name '"
            + name
            + "'; start one with it, register() it, or wait for one by awaitRegistered()");
    this.receiver = nobody;
    this.name = name;
    this.result = SendResult.NOT_FOUND;
  }

  /// The receiver; an address that leads nowhere when no process has the name.
  public Pid receiver() {
    return receiver;
  }

  /// The name that no process has; null for any other failure.
  public @Nullable String name() {
    return name;
  }

  /// The result of the send.
  public SendResult result() {
    return result;
  }
}
