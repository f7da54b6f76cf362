// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The way from a failure to a restart: who is restarted, and after how long.
final class RestartPlan {
  final Duration delay;
  long backoffTag; // the tag of the command; 0 while it was not yielded
  boolean isReady; // stands in line for it
  private final List<SupervisedChild> all; // who was a member at first, in their order
  private final OrderedStop<SupervisedChild> orderedStop;
  private int size; // of those that are members still: their field says so

  /// Makes these its members.
  RestartPlan(Duration delay, List<SupervisedChild> members) {
    this.delay = delay;
    this.all = members;
    this.size = members.size();
    this.orderedStop =
        new OrderedStop<>(
            members,
            supervisedChild -> supervisedChild.recovery == this && supervisedChild.isAlive());
    members.forEach(supervisedChild -> supervisedChild.recovery = this);
  }

  List<SupervisedChild> members() {
    return all.stream().filter(supervisedChild -> supervisedChild.recovery == this).toList();
  }

  /// The first of those that were its members at first.
  SupervisedChild first() {
    return all.getFirst();
  }

  /// The member that is to end next; null when none lives any more.
  @Nullable SupervisedChild nextToEnd() {
    return orderedStop.next();
  }

  /// One of its members is not restarted with the others.
  ///
  /// @return whether none is left
  boolean leave(SupervisedChild member) {
    member.recovery = null;
    return --size == 0;
  }
}
