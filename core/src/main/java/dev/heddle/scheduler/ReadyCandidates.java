// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import org.jspecify.annotations.Nullable;

/// The ready entries of one priority, oldest first, from which a picker chooses. Valid during the
/// call that it is passed to.
public interface ReadyCandidates {
  int size();

  /// A candidate: a waker, an [dev.heddle.scheduler.context.ExecutionContext] whose foreign wait is
  /// over, or a [BornThread]. Other entries are the scheduler's own.
  ///
  /// @param place counted from the oldest, which is 0
  @Nullable Object at(int place);
}
