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
  void memberChanged(RestartPlan plan) {
    if (!plan.isReady) {
      plan.isReady = true;
      ready.add(plan);
    }
  }

  /// The next plan with a member that has changed; null when there is none.
  @Nullable RestartPlan nextToAdvance() {
    while (true) {
      RestartPlan plan = ready.poll();
      if (plan == null) {
        return null;
      }
      plan.isReady = false;
      if (pending.contains(plan)) {
        return plan;
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
      SupervisedChild failed, Duration delay, @Nullable RestartPlan merged, ChildList children) {
    List<SupervisedChild> members =
        strategy == Strategy.ONE_FOR_ONE
            ? List.of(failed)
            : candidates(failed, merged, children).stream()
                .filter(child ->
                    child == failed
                        || (merged != null && child.recovery == merged)
                        || isRestartedWith(failed, child))
                .toList();
    RestartPlan plan = new RestartPlan(delay, members);
    pending.add(plan);
    memberChanged(plan);
    return plan;
  }

  /// The children among which the members are: no child before these is restarted.
  private Collection<SupervisedChild> candidates(
      SupervisedChild failed, @Nullable RestartPlan merged, ChildList children) {
    if (strategy == Strategy.ONE_FOR_ALL) {
      return children.inOrder();
    }
    return children.from(
        merged == null ? failed.number : Math.min(failed.number, merged.first().number));
  }

  /// Ends a plan.
  ///
  /// @return its members
  List<SupervisedChild> over(RestartPlan plan) {
    pending.remove(plan);
    List<SupervisedChild> members = plan.members();
    members.forEach(child -> child.recovery = null);
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
