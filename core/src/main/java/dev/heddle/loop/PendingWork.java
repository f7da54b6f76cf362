// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

/// Work that another thread waits for, from its arrival on the loop to its end.
interface PendingWork {
  /// Called when the loop has ended without it: the waiting thread learns that. Runs on the
  /// carrier, and no user code.
  void refuse();
}
