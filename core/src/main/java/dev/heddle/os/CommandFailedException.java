// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

/// Thrown for a command that did not exit with 0.
///
/// {@snippet class=dev.heddle.snippets.CommandSnippetsTest region=failed}
///
/// @since 0.1
public final class CommandFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final int TAIL = 500; // characters; the reason is usually at the end

  private final int exitCode;

  CommandFailedException(String command, int exitCode, String error) {
    super("'" + command + "' exited with " + exitCode + tail(error.strip()));
    this.exitCode = exitCode;
  }

  private static String tail(String error) {
    String end = error.length() > TAIL ? "..." + error.substring(error.length() - TAIL) : error;
    return end.isEmpty() ? "" : ": " + end;
  }

  /// The exit code.
  public int exitCode() {
    return exitCode;
  }
}
