// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// An ordered stop of children: the last first, each after the one before has ended. It remembers
/// its position, so that the whole stop checks each child once.
final class OrderedStop<C> {
  private final List<C> children;
  private final Predicate<C> isToEnd;
  private int left; // the children from this index on have ended

  /// @param isToEnd false for good when the child has ended, or no longer belongs to this stop
  OrderedStop(Collection<C> children, Predicate<C> isToEnd) {
    this.children = List.copyOf(children);
    this.isToEnd = isToEnd;
    this.left = this.children.size();
  }

  /// The child that ends next, or null when all have ended.
  @Nullable C next() {
    while (left > 0 && !isToEnd.test(children.get(left - 1))) {
      left--;
    }
    return left == 0 ? null : children.get(left - 1);
  }
}
