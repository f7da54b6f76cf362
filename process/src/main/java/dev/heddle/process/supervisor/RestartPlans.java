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

/// The pending restart plans of one supervisor: with `ONE_FOR_ONE` one for each child that has
/// failed, otherwise at most one, into which a further failure is merged.
final class RestartPlans {
  private final Strategy strategy;
  private final Set<RestartPlan> pending = new LinkedHashSet<>();
  private final Queue<RestartPlan> ready = new ArrayDeque<>();

  RestartPlans(Strategy strategy) {
    this.strategy = strategy;
  }

  List<RestartPlan> pending() {
    return List.copyOf(pending);
  }

  /// Called when the state of a member has changed.
  void memberChanged(RestartPlan restartPlan) {
    if (!restartPlan.isReady) {
      restartPlan.isReady = true;
      ready.add(restartPlan);
    }
  }

  /// The next plan with a member that has changed; null when there is none.
  @Nullable RestartPlan nextToAdvance() {
    while (true) {
      RestartPlan restartPlan = ready.poll();
      if (restartPlan == null) {
        return null;
      }
      restartPlan.isReady = false;
      if (pending.contains(restartPlan)) {
        return restartPlan;
      }
    }
  }

  /// Removes the plan that the next one continues; null when there is none.
  @Nullable RestartPlan takeOneToBeMerged() {
    if (strategy == Strategy.ONE_FOR_ONE || pending.isEmpty()) {
      return null;
    }
    RestartPlan merged = pending.iterator().next();
    pending.remove(merged);
    return merged;
  }

  RestartPlan begin(
      SupervisedChild failed, Duration delay, @Nullable RestartPlan merged, ChildList childList) {
    List<SupervisedChild> members =
        strategy == Strategy.ONE_FOR_ONE
            ? List.of(failed)
            : candidates(failed, merged, childList).stream()
                .filter(supervisedChild ->
                    supervisedChild == failed
                        || (merged != null && supervisedChild.recovery == merged)
                        || isRestartedWith(failed, supervisedChild))
                .toList();
    RestartPlan restartPlan = new RestartPlan(delay, members);
    pending.add(restartPlan);
    memberChanged(restartPlan);
    return restartPlan;
  }

  /// The children among which the members are: no child before these is restarted.
  private Collection<SupervisedChild> candidates(
      SupervisedChild failed, @Nullable RestartPlan merged, ChildList childList) {
    if (strategy == Strategy.ONE_FOR_ALL) {
      return childList.inOrder();
    }
    return childList.from(
        merged == null ? failed.number : Math.min(failed.number, merged.first().number));
  }

  /// Ends a plan.
  ///
  /// @return its members
  List<SupervisedChild> over(RestartPlan restartPlan) {
    pending.remove(restartPlan);
    List<SupervisedChild> members = restartPlan.members();
    members.forEach(supervisedChild -> supervisedChild.recovery = null);
    return members;
  }

  private boolean isRestartedWith(SupervisedChild failed, SupervisedChild other) {
    boolean named =
        switch (strategy) {
          case ONE_FOR_ONE -> false;
          case ONE_FOR_ALL -> true;
          case REST_FOR_ONE -> other.number > failed.number;
        };
    return named && !other.isTerminated() && (other.isAlive() || !other.isTemporary());
  }
}
