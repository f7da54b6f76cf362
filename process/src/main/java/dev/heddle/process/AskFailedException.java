// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// A request has failed: its cause says how.
///
/// @since 0.1
public final class AskFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Pid to;

  /// A request to `to` that has failed with `cause`.
  public AskFailedException(Pid to, Throwable cause) {
    super("the request to " + to + " has failed: " + cause.getMessage(), cause);
    this.to = to;
  }

  /// Who was asked.
  public Pid to() {
    return to;
  }
}
