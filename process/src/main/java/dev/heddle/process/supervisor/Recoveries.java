// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.supervisor.Supervisor.Strategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The recoveries of one supervisor that are not over: with `ONE_FOR_ONE` one for each child that
/// has failed, else one at most, into which a further failure is merged.
final class Recoveries {
  private final Strategy strategy;
  private final List<Recovery> pending = new ArrayList<>();

  Recoveries(Strategy strategy) {
    this.strategy = strategy;
  }

  List<Recovery> pending() {
    return List.copyOf(pending);
  }

  @Nullable Recovery of(Child child) {
    for (Recovery recovery : pending) {
      if (recovery.members.contains(child)) {
        return recovery;
      }
    }
    return null;
  }

  /// The one that goes on in the next one, of which it is no more; null when there is none.
  @Nullable Recovery takeOneToBeMerged() {
    return strategy == Strategy.ONE_FOR_ONE || pending.isEmpty() ? null : pending.removeFirst();
  }

  Recovery begin(Child failed, Duration delay, @Nullable Recovery merged, Siblings siblings) {
    Recovery recovery = new Recovery(delay);
    for (Child child : siblings.inOrder()) {
      if (child == failed
          || (merged != null && merged.members.contains(child))
          || isRestartedWith(failed, child)) {
        recovery.members.add(child);
      }
    }
    pending.add(recovery);
    return recovery;
  }

  void over(Recovery recovery) {
    pending.remove(recovery);
  }

  void clear() {
    pending.clear();
  }

  private boolean isRestartedWith(Child failed, Child other) {
    boolean named =
        switch (strategy) {
          case ONE_FOR_ONE -> false;
          case ONE_FOR_ALL -> true;
          case REST_FOR_ONE -> other.number > failed.number;
        };
    return named && !other.isOver() && (other.isAlive() || !other.isTemporary());
  }
}
