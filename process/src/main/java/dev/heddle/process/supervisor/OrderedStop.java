// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Children that are to end: the last first, each when the one before has ended. Which have ended
/// is remembered, so that all ends together cost one look at each.
final class OrderedStop<C> {
  private final List<C> children;
  private final Predicate<C> isToEnd;
  private int left; // those before this place may live

  /// @param isToEnd false for good when it has ended, or is no matter of this any more
  OrderedStop(Collection<C> children, Predicate<C> isToEnd) {
    this.children = List.copyOf(children);
    this.isToEnd = isToEnd;
    this.left = this.children.size();
  }

  /// The one whose turn it is, or null when all have ended.
  @Nullable C next() {
    while (left > 0 && !isToEnd.test(children.get(left - 1))) {
      left--;
    }
    return left == 0 ? null : children.get(left - 1);
  }
}
