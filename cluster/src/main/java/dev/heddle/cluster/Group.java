// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.group.Groups;
import dev.heddle.process.Pid;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Processes of all nodes under one name.
///
/// Each node decides about its own members and tells the others. So two nodes in touch agree as
/// soon as nothing is on its way, and a node that is lost takes its members with it until it is in
/// touch again.
///
/// **Thread** any. No method waits.
///
/// {@snippet class=dev.heddle.cluster.ClusterSnippetsTest region=group}
///
/// @since 0.1
public final class Group {
  private final Groups groups;
  private final String name;

  Group(Groups groups, String name) {
    this.groups = groups;
    this.name = name;
  }

  /// Its name.
  public String name() {
    return name;
  }

  /// Makes a process of this node a member, until it leaves as often as it has joined, or ends.
  ///
  /// @throws IllegalArgumentException when it is no living process of this node
  public void join(Pid member) {
    groups.join(name, member);
  }

  /// Undoes one join of a process of this node.
  ///
  /// @return false when it is no member
  public boolean leave(Pid member) {
    return groups.leave(name, member);
  }

  /// The members of this node and of all nodes in touch.
  public List<Pid> members() {
    return groups.members(name);
  }

  /// Sends a message to each member, without waiting for space.
  ///
  /// @return how many have accepted it
  /// @throws dev.heddle.process.NotSendableException when it cannot be encoded for members of other
  ///   nodes; then no member gets it
  public int publish(@Nullable Object message) {
    return groups.publish(name, message);
  }

  /// Calls a listener after each change of the members, on the thread that makes the change. It
  /// must not wait.
  public void onChange(Consumer<Change> listener) {
    groups.onChange(change -> {
      if (change.group().equals(name)) {
        listener.accept(new Change(change.joined(), change.left()));
      }
    });
  }

  /// Members that one event has added or removed: a join, the end of a process, the loss of a node.
  ///
  /// @param joined those that are new
  /// @param left those that are no longer members
  public record Change(List<Pid> joined, List<Pid> left) {}

  @Override
  public String toString() {
    return "Group[" + name + "]";
  }
}
