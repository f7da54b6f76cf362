// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

/// Something that a loop's operator should know of.
///
/// @since 0.1
public sealed interface LoopReport permits DeadlockReport {
  /// The loop's name.
  String loop();

  /// The report in words, several lines.
  String text();
}
