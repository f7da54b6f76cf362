// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

/// Ends [Heddle#run] after [Heddle#exit(int)] or a signal, once everything has been cleaned up.
///
/// @since 0.1
public final class ExitException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int code;

  /// With the code the program should exit with.
  public ExitException(int code, String why) {
    super(why);
    this.code = code;
  }

  /// What to exit with: the code given to `exit`, 130 after SIGINT, 143 after SIGTERM.
  public int code() {
    return code;
  }
}
