// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

/// Something that the operator of a loop should know of: a deadlock, a stall, a hold.
///
/// Stalls and holds are logged by the [System.Logger] `dev.heddle`; a deadlock ends the run with an
/// error. Besides, all are given to whoever [dev.heddle.HeddleOptions#reports()] names.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=reports}
///
/// @since 0.1
public sealed interface LoopReport permits DeadlockReport, StallReport, HoldReport {
  /// The loop's name.
  String loop();

  /// The report in words, several lines.
  String text();
}
