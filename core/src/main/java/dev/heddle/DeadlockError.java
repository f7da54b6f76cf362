// SPDX-License-Identifier: Apache-2.0
package dev.heddle;

import dev.heddle.observe.DeadlockReport;

/// A loop is deadlocked: coroutines are left, none is ready, and nothing could wake one. Ends
/// [Heddle#run]; the message lists the coroutines and what each waits for.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=deadlock}
///
/// @since 0.1
public final class DeadlockError extends Error {
  private static final long serialVersionUID = 1;

  private final transient DeadlockReport report;

  /// With the report, whose text is the message. For the runtime.
  public DeadlockError(DeadlockReport report) {
    super(report.text());
    this.report = report;
  }

  /// The coroutines that were left, what each waited for, and the cycles among them.
  public DeadlockReport report() {
    return report;
  }
}
