// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Cancellation;
import dev.heddle.failure.FailureTable;
import org.jspecify.annotations.Nullable;

/// Which of two failures is thrown, and which gives way to it.
final class Precedence {
  private Precedence() {}

  /// What to throw of what was thrown and a failure that came later: the earlier one, unless it
  /// gives way.
  static @Nullable Throwable first(@Nullable Throwable thrown, @Nullable Throwable failure) {
    return failure != null && givesWay(thrown) ? failure : merged(thrown, failure);
  }

  /// Whether it is a cancellation, or what the JDK makes of interrupts for their sake.
  static boolean givesWay(@Nullable Throwable thrown) {
    return thrown instanceof Cancellation || (thrown != null && Interruptions.isOne(thrown));
  }

  /// Of two failures of a scope the first. They may well be cancellations: of somebody else, in
  /// whom they were awaited.
  static @Nullable Throwable merged(@Nullable Throwable failure, @Nullable Throwable further) {
    if (failure != null && further != null) {
      FailureTable.merge(failure, further);
    }
    return failure == null ? further : failure;
  }

  /// What to throw of what was thrown and what an owner met as it left. A cancellation that comes
  /// second is no news: it is to be postponed.
  static @Nullable Throwable earlier(@Nullable Throwable thrown, @Nullable Throwable met) {
    return thrown != null && met instanceof Cancellation ? thrown : first(thrown, met);
  }

  /// What an owner has met as it left, of two waits. A cancellation that gives way is postponed.
  static @Nullable Throwable met(
      CoroutineNode<?> owner, @Nullable Throwable met, @Nullable Throwable further) {
    Throwable kept = earlier(met, further);
    owner.postpone(met, kept);
    owner.postpone(further, kept);
    return kept;
  }
}
