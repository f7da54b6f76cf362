// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

/// A command has not exited with 0.
///
/// @since 0.1
public final class CommandFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final int TAIL = 500; // characters; the reason stands at the end, as a rule

  private final int exitCode;

  CommandFailedException(String command, int exitCode, String error) {
    super("'" + command + "' exited with " + exitCode + tail(error.strip()));
    this.exitCode = exitCode;
  }

  private static String tail(String error) {
    String end = error.length() > TAIL ? "..." + error.substring(error.length() - TAIL) : error;
    return end.isEmpty() ? "" : ": " + end;
  }

  /// What it exited with.
  public int exitCode() {
    return exitCode;
  }
}
