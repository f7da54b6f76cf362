// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.process.Pid;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What names need of their node. No method waits.
public interface NodePort {
  /// Sends to the same part of another node.
  ///
  /// @return false when it is lost already
  boolean send(String node, byte[] content);

  /// Completes when the outbox of another node has room again after it has refused something; at
  /// once when it has, or when the node is not in session.
  CompletableFuture<@Nullable Void> room(String node);

  /// The newest format of the log that a node knows.
  ///
  /// @return 0 when the node is not in session
  int logFormat(String node);

  /// Calls an action when a process of this node has ended; at once, if it has.
  ///
  /// @param ended any thread calls it
  /// @return takes it back
  Runnable watch(Pid pid, Runnable ended);

  /// Asks a process of this node to end, and ends it after a time.
  void cancel(Pid pid, String reason, long nanos);
}
