// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The way from a failure to a restart: who is restarted, and after how long.
final class Recovery {
  final Duration delay;
  long pause; // the tag of the command; 0 while it was not yielded
  boolean isToBeAdvanced; // stands in line for it
  private final List<Child> all; // who was a member at first, in their order
  private final Ending<Child> ending;
  private int size; // of those that are members still: their field says so

  /// Makes these its members.
  Recovery(Duration delay, List<Child> members) {
    this.delay = delay;
    this.all = members;
    this.size = members.size();
    this.ending = new Ending<>(members, child -> child.recovery == this && child.isAlive());
    members.forEach(child -> child.recovery = this);
  }

  List<Child> members() {
    return all.stream().filter(child -> child.recovery == this).toList();
  }

  /// The first of those that were its members at first.
  Child first() {
    return all.getFirst();
  }

  /// The member that is to end next; null when none lives any more.
  @Nullable Child nextToEnd() {
    return ending.next();
  }

  /// One of its members is not restarted with the others.
  ///
  /// @return whether none is left
  boolean leave(Child member) {
    member.recovery = null;
    return --size == 0;
  }
}
