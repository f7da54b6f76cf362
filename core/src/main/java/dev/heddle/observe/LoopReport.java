// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

/// An event that the operator of a loop should know: a deadlock, a stall, a hold.
///
/// Stalls and holds are logged by the [System.Logger] `dev.heddle`; a deadlock ends the run with an
/// error. All reports are also passed to the listener of [dev.heddle.HeddleOptions#reports()].
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=reports}
///
/// @since 0.1
public sealed interface LoopReport permits DeadlockReport, StallReport, HoldReport {
  /// The loop's name.
  String loop();

  /// The report as text of several lines.
  String text();
}
