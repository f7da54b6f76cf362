// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

/// Nothing in the loop could go on any more: coroutines were left, and nobody to wake them. Ends
/// [Heddle#run]; the message says who waited on what.
///
/// @since 0.1
public final class DeadlockError extends Error {
  private static final long serialVersionUID = 1;

  /// With the report.
  public DeadlockError(String report) {
    super(report);
  }
}
