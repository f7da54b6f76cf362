// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

/// What a step sends to one task, one after the other, and adds to without a fence for each: its
/// worker ends it with the step at the latest.
public interface Burst {
  /// Nothing more is added. May be called again where memory or stack has ended in the middle: it
  /// goes on where it has stopped.
  ///
  /// @param by in whose step that is
  void end(Worker by);

  /// Its step goes on and on: wakes the receiver if something lies there that it may have missed.
  /// Any thread.
  void urge();

  /// How many more wait than the one that a count of the queue's nodes has counted, if it is for
  /// `task` and has not ended. Any thread.
  int uncounted(Task task);
}
