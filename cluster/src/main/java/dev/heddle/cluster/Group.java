// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.Registration;
import dev.heddle.cluster.group.GroupChange;
import dev.heddle.cluster.group.Groups;
import dev.heddle.process.Pid;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A group of processes of all nodes in touch. Processes join at their own node; those of a node
/// that is lost are members no more, until it is in touch again.
///
/// **Thread** any; nothing here waits.
///
/// {@snippet class=dev.heddle.cluster.ClusterSnippetsTest region=group}
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

  /// Calls a listener after each change of the members: in order, one at a time, on a virtual
  /// thread where it may wait. A listener that is more than 10,000 changes of all groups behind is
  /// removed, with a warning in the log.
  ///
  /// @return removes the listener; a call that is under way is not waited for
  public Registration onChange(Consumer<Change> listener) {
    Consumer<GroupChange> ofThis =
        change -> {
          if (change.group().equals(name)) {
            listener.accept(new Change(change.joined(), change.left()));
          }
        };
    Runnable remove = groups.onChange(ofThis);
    return remove::run;
  }

  /// Members that one event has added or removed: a join, the end of a process, the loss of a node.
  ///
  /// @param joined those that are new
  /// @param left those that are no longer members
  public record Change(List<Pid> joined, List<Pid> left) {
    /// Copies the lists.
    public Change {
      joined = List.copyOf(joined);
      left = List.copyOf(left);
    }
  }

  @Override
  public String toString() {
    return "group '" + name + "'";
  }
}
