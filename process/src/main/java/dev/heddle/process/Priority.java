// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// The scheduling priority of a process among those that are ready.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=options}
///
/// @since 0.1
public enum Priority {
  /// Before all processes of normal priority; even so, at least one step in 61 is for the others.
  HIGH,
  /// In its turn, preferably on the worker that woke it.
  NORMAL,
  /// At the tail of the queue that all workers share.
  LOW
}
