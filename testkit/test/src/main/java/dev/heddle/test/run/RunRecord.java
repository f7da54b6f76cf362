// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A run that has ended.
///
/// @param value the result of its main coroutine
/// @param failure what the loop has thrown; null: it returned
/// @param elapsed the virtual time from its beginning to its end
/// @param course the course it took
/// @param findings what it left behind
/// @param uncontrolled what other threads decided, in words, each once
/// @param uncheckedMessages the classes in messages of processes that were not looked into
public record RunRecord<T extends @Nullable Object>(
    @Nullable T value,
    @Nullable Throwable failure,
    Duration elapsed,
    Course course,
    List<Finding> findings,
    List<String> uncontrolled,
    List<String> uncheckedMessages) {
  static final String PERHAPS = "perhaps: ";
  static final String LEFT_CARRIER = "the carrier, which has not ended";

  /// Whether the program still holds its carrier.
  public boolean isAbandoned() {
    return uncontrolled.contains(LEFT_CARRIER);
  }

  /// Whether something outside of the simulation has had a part in the course for certain.
  public boolean dependsOnOthers() {
    return uncontrolled.stream().anyMatch(what -> !what.startsWith(PERHAPS));
  }
}
