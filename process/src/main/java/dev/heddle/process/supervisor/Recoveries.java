// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.supervisor.Supervisor.Strategy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The recoveries of one supervisor that are not over: with `ONE_FOR_ONE` one for each child that
/// has failed, else one at most, into which a further failure is merged.
final class Recoveries {
  private final Strategy strategy;
  private final Set<Recovery> pending = new LinkedHashSet<>();
  private final Queue<Recovery> toBeAdvanced = new ArrayDeque<>();

  Recoveries(Strategy strategy) {
    this.strategy = strategy;
  }

  List<Recovery> pending() {
    return List.copyOf(pending);
  }

  /// Something has happened to a member.
  void hasMoved(Recovery recovery) {
    if (!recovery.isToBeAdvanced) {
      recovery.isToBeAdvanced = true;
      toBeAdvanced.add(recovery);
    }
  }

  /// The next one of which something has happened to a member; null when there is none.
  @Nullable Recovery nextToAdvance() {
    while (true) {
      Recovery recovery = toBeAdvanced.poll();
      if (recovery == null) {
        return null;
      }
      recovery.isToBeAdvanced = false;
      if (pending.contains(recovery)) {
        return recovery;
      }
    }
  }

  /// The one that goes on in the next one, of which it is no more; null when there is none.
  @Nullable Recovery takeOneToBeMerged() {
    if (strategy == Strategy.ONE_FOR_ONE || pending.isEmpty()) {
      return null;
    }
    Recovery merged = pending.iterator().next();
    pending.remove(merged);
    return merged;
  }

  Recovery begin(Child failed, Duration delay, @Nullable Recovery merged, Siblings siblings) {
    List<Child> members =
        strategy == Strategy.ONE_FOR_ONE
            ? List.of(failed)
            : candidates(failed, merged, siblings).stream()
                .filter(child ->
                    child == failed
                        || (merged != null && child.recovery == merged)
                        || isRestartedWith(failed, child))
                .toList();
    Recovery recovery = new Recovery(delay, members);
    pending.add(recovery);
    hasMoved(recovery);
    return recovery;
  }

  /// No child that stands before these is restarted.
  private Collection<Child> candidates(Child failed, @Nullable Recovery merged, Siblings siblings) {
    if (strategy == Strategy.ONE_FOR_ALL) {
      return siblings.inOrder();
    }
    return siblings.from(
        merged == null ? failed.number : Math.min(failed.number, merged.first().number));
  }

  /// The members are on their own again.
  ///
  /// @return who they were
  List<Child> over(Recovery recovery) {
    pending.remove(recovery);
    List<Child> members = recovery.members();
    members.forEach(child -> child.recovery = null);
    return members;
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
