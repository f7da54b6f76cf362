// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import java.io.Serial;

/// A process cannot be observed; the message says why, and what to do.
public final class AttachException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  AttachException(String message) {
    super(message);
  }

  AttachException(String message, Throwable cause) {
    super(message, cause);
  }

  /// It can, but there is nothing to see.
  public static AttachException nothingRuns(long pid) {
    return new AttachException(
        "process " + pid + " is a JVM in which neither loops nor processes of Heddle run");
  }

  static AttachException ended(long pid) {
    return new AttachException("process " + pid + " has ended");
  }
}
