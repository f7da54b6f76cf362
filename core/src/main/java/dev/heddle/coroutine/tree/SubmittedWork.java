// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Action;

/// The work of a coroutine that another thread has submitted. The coroutine is created on the
/// trampoline, where it cannot inherit; the work inherits as it begins.
public interface SubmittedWork extends Action {
  String name();

  /// The class of the body, which is the coroutine's site.
  Class<?> site();

  void cancelledBeforeStart();
}
