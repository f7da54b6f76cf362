// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

/// Processes of a run have done what no program should: they wait for each other, wait in real
/// time, or have changed a message after it was sent.
public final class ProcessesError extends AssertionError {
  private static final long serialVersionUID = 1;

  ProcessesError(String message) {
    super(message);
  }
}
