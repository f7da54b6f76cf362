// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.source;

/// A source file cannot become a program: it is missing, does not compile, or has no `main`.
public final class SourceException extends Exception {
  private static final long serialVersionUID = 1;

  SourceException(String message) {
    super(message);
  }

  SourceException(String message, Throwable cause) {
    super(message, cause);
  }
}
