// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The steps from a failure to a restart: the children that are restarted, and the delay.
final class RestartPlan {
  final Duration delay;
  long backoffTag; // of the delay's command; 0 before it is requested
  boolean isReady; // queued in RestartPlans.ready
  private final List<SupervisedChild> all; // the first members, in order
  private final OrderedStop<SupervisedChild> stop;
  private int size; // of the present members, whose `recovery` is this

  RestartPlan(Duration delay, List<SupervisedChild> members) {
    this.delay = delay;
    this.all = members;
    this.size = members.size();
    this.stop = new OrderedStop<>(members, child -> child.recovery == this && child.isAlive());
    members.forEach(child -> child.recovery = this);
  }

  List<SupervisedChild> members() {
    return all.stream().filter(child -> child.recovery == this).toList();
  }

  /// The first of its first members.
  SupervisedChild first() {
    return all.getFirst();
  }

  /// The member that ends next; null when all have ended.
  @Nullable SupervisedChild nextToEnd() {
    return stop.next();
  }

  /// Removes a member, which is not restarted with the others.
  ///
  /// @return whether no member is left
  boolean leave(SupervisedChild member) {
    member.recovery = null;
    return --size == 0;
  }
}
