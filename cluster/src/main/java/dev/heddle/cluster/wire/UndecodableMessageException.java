// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

/// The content of a message cannot be decoded here. The message is refused; its session goes on.
public final class UndecodableMessageException extends Exception {
  private static final long serialVersionUID = 1L;

  /// What is wrong with a content.
  public enum Why {
    /// its type, or one within it, is not registered here
    UNKNOWN_TYPE,
    /// a constant of an enum does not exist here
    UNKNOWN_CONSTANT,
    /// it is not what the type has here
    WRONG_SHAPE,
    /// the type has a `Reply`, and the message was sent without asking
    NO_REPLY
  }

  private final Why why;
  private final String type;

  /// @param type the name of the message's type, as its sender calls it
  /// @param what is wrong, with the path to it
  UndecodableMessageException(Why why, String type, String what) {
    super("%s: %s".formatted(type, what), null, false, false);
    this.why = why;
    this.type = type;
  }

  public Why why() {
    return why;
  }

  /// The name of the message's type, as its sender calls it.
  public String type() {
    return type;
  }
}
