// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.source;

/// A source file cannot become a program: it is missing, does not compile, or has no `main`.
public final class SourceException extends Exception {
  private static final long serialVersionUID = 1;

  private final String explanation;

  /// With what to tell the user.
  SourceException(String explanation) {
    super(explanation);
    this.explanation = explanation;
  }

  /// With what to tell the user and the reason.
  SourceException(String explanation, Throwable cause) {
    super(explanation, cause);
    this.explanation = explanation;
  }

  /// What to tell the user.
  public String explanation() {
    return explanation;
  }
}
