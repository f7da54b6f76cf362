// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// The pending restart plans of one supervisor: with `ONE_FOR_ONE` one for each child that has
/// failed, otherwise at most one, into which a further failure is merged.
final class RestartPlans {
  private final @Nullable ToLongFunction<SupervisedChild> firstRestarted;
  private final Set<RestartPlan> pending = new LinkedHashSet<>();
  private final Queue<RestartPlan> ready = new ArrayDeque<>();

  /// @param firstRestarted the number from which on children are restarted together with one that
  ///   has failed; null when each is restarted alone
  RestartPlans(@Nullable ToLongFunction<SupervisedChild> firstRestarted) {
    this.firstRestarted = firstRestarted;
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
    if (firstRestarted == null || pending.isEmpty()) {
      return null;
    }
    RestartPlan merged = pending.iterator().next();
    pending.remove(merged);
    return merged;
  }

  RestartPlan begin(
      SupervisedChild failed, Duration delay, @Nullable RestartPlan merged, ChildList children) {
    List<SupervisedChild> members =
        firstRestarted == null
            ? List.of(failed)
            : members(failed, merged, firstRestarted.applyAsLong(failed), children);
    RestartPlan plan = new RestartPlan(delay, members);
    pending.add(plan);
    memberChanged(plan);
    return plan;
  }

  private static List<SupervisedChild> members(
      SupervisedChild failed, @Nullable RestartPlan merged, long first, ChildList children) {
    long from = merged == null ? first : Math.min(first, merged.first().number);
    return children.from(from).stream()
        .filter(child ->
            child == failed
                || (merged != null && child.recovery == merged)
                || (child.number >= first && isRestartedWithOthers(child)))
        .toList();
  }

  private static boolean isRestartedWithOthers(SupervisedChild child) {
    return !child.isTerminated() && (child.isAlive() || !child.isTemporary());
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
}
