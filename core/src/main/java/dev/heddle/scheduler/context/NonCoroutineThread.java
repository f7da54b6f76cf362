// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import org.jspecify.annotations.Nullable;

/// The scheduler of a virtual thread of Heddle that is no coroutine: it names what its thread can
/// do instead of what only a coroutine can do.
public interface NonCoroutineThread {
  /// What `thread` is and what to do instead, for a message; null when `thread` has only inherited
  /// this scheduler.
  @Nullable String alternativeFor(Thread thread);
}
