// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// A message was not accepted.
///
/// @since 0.1
public final class SendFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Pid to;
  private final SendResult result;

  /// For a message to `to`.
  public SendFailedException(Pid to, SendResult result) {
    super(
        switch (result) {
          case ACCEPTED -> throw new IllegalArgumentException("it was accepted");
          case FULL, DROPPED ->
              "the mailbox of "
                  + to
                  + " is full; send less, wait for replies, start it with a larger mailbox, or send"
                  + " by offer(), which returns what became of the message in place of throwing";
          case NOT_FOUND ->
              "process not found: "
                  + to
                  + "; it has ended, or never was; monitor() tells"
                  + " of its end, and offer() returns NOT_FOUND in place of throwing";
          case CLOSED -> "the runtime of " + to + " has shut down";
          case UNREACHABLE -> "no way leads to " + to + "; connect its node, or its host";
        });
    this.to = to;
    this.result = result;
  }

  /// To whom it was sent.
  public Pid to() {
    return to;
  }

  /// What became of it.
  public SendResult result() {
    return result;
  }
}
