// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Roster;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The log and the lease of this node, for other parts of it.
///
/// **Thread** any, and no method waits.
public interface RosterAccess {
  /// A part of the node that follows the log.
  interface Part {
    /// The log has applied something, or the whole state was replaced by a later one. Called by the
    /// agent thread of the node, in the order of the log; must not wait. The roster is not used
    /// after the call.
    void applied(Roster roster);

    /// Called ten times a second by the same thread, from the first state on; less often while
    /// nothing is to be done.
    void tick(Roster roster);

    /// Whether the part has nothing to do by itself. Called by the same thread.
    default boolean isIdle() {
      return false;
    }

    /// The node is about to leave: the part gives away what it owns. Called by the same thread.
    ///
    /// @return completes when it owns nothing; the node leaves after its limit at the latest
    CompletableFuture<@Nullable Void> leave();
  }

  /// Puts a command into the log. It may be lost: submit it again when the roster does not show it.
  void submit(Command command);

  /// The admission that was acknowledged last; 0 for none.
  long admission();

  /// Whether this node holds its lease now, within this admission.
  boolean mayAct(long admission);

  /// Adds a part. It is told of the present state first.
  void add(Part part);
}
