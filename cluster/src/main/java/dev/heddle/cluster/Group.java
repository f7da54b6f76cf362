// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.group.Groups;
import dev.heddle.process.Pid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A group of processes of all nodes in touch. Processes join at their own node; those of a node
/// that is lost are members no more, until it is in touch again.
///
/// **Thread** any; nothing here waits.
///
/// @since 0.1
public final class Group {
  private final String name;
  private final Groups groups;

  Group(String name, Groups groups) {
    this.name = name;
    this.groups = groups;
  }

  /// Its name.
  public String name() {
    return name;
  }

  /// Makes a process of this node a member; a second join needs a second leave. The end of the
  /// process ends its membership.
  ///
  /// @throws IllegalArgumentException when it is no living process of this node
  public void join(Pid pid) {
    groups.join(name, pid);
  }

  /// Undoes one join.
  ///
  /// @return false when the process is no member by a join at this node
  public boolean leave(Pid pid) {
    return groups.leave(name, pid);
  }

  /// The members that this node knows of: those here first.
  public List<Pid> members() {
    return groups.members(name);
  }

  /// Sends a message to each member, as `offer` does: a member whose mailbox or connection is full
  /// does not get it.
  ///
  /// @return to how many members it was accepted
  /// @throws dev.heddle.process.NotSendableException when it cannot be encoded for another node; no
  ///   member gets it
  public int publish(@Nullable Object message) {
    return groups.publish(name, message);
  }

  @Override
  public String toString() {
    return "group '" + name + "'";
  }
}
