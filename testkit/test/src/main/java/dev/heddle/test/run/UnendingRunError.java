// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

/// A run does not end: it has used up a limit.
public final class UnendingRunError extends Error {
  private static final long serialVersionUID = 1;

  UnendingRunError(String message) {
    super(message);
  }
}
