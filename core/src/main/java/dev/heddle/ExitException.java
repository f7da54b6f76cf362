// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

/// Ends [Heddle#run] after [Heddle#exit(int)] or a signal, after the clean-up.
///
/// {@snippet class=dev.heddle.snippets.FailureSnippetsTest region=exit}
///
/// @since 0.1
public final class ExitException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int code;

  /// Takes the exit code of the program, and the reason.
  public ExitException(int code, String why) {
    super(why);
    this.code = code;
  }

  /// The exit code: the one given to `exit`, 130 after SIGINT, 143 after SIGTERM.
  public int code() {
    return code;
  }
}
