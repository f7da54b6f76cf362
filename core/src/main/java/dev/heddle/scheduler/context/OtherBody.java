// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import org.jspecify.annotations.Nullable;

/// A scheduler of virtual threads of ours that are no coroutines: says what its thread can do
/// instead of what only coroutines can.
public interface OtherBody {
  /// Where `thread` is and what it is to do instead, or null when it is not the body's own.
  @Nullable String insteadOn(Thread thread);
}
