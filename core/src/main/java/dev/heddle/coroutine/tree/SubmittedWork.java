// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Action;

/// The work of a coroutine that another thread has asked for. The coroutine is made on the
/// trampoline, so it inherits nothing there: the work does that itself as it begins.
public interface SubmittedWork extends Action {
  /// The coroutine's name.
  String name();

  /// The class of the body, to name where the coroutine comes from.
  Class<?> site();

  /// The coroutine was cancelled before it began.
  void cancelledBeforeStart();
}
