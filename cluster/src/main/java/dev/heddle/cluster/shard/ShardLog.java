// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.roster.Command;

/// What shards need of the log and of the lease. Any thread; no method waits.
public interface ShardLog {
  /// Puts a command into the log. It may be lost: it is submitted again.
  void submit(Command command);

  /// Whether this node holds its lease, within this admission.
  boolean mayAct(long admission);

  /// The admission of this node; 0 when it is not admitted.
  long admission();
}
