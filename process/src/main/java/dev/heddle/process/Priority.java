// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// Where a process stands among those that are to be stepped.
///
/// @since 0.1
public enum Priority {
  /// Before all of normal priority; at least one step in 61 is one of the others all the same.
  HIGH,
  /// In its turn; near whoever woke it.
  NORMAL,
  /// Behind all that wait for any worker.
  LOW
}
