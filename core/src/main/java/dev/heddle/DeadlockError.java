// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import dev.heddle.observe.DeadlockReport;

/// Nothing in the loop could go on any more: coroutines were left, and nobody to wake them. Ends
/// [Heddle#run]; the message says who waited on what.
///
/// @since 0.1
public final class DeadlockError extends Error {
  private static final long serialVersionUID = 1;

  private final transient DeadlockReport report;

  /// With the report, whose text is the message.
  public DeadlockError(DeadlockReport report) {
    super(report.text());
    this.report = report;
  }

  /// Every coroutine that was left, what it waited for, and the cycles among them.
  public DeadlockReport report() {
    return report;
  }
}
