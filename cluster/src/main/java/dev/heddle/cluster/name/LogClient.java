// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Outcome;
import org.jspecify.annotations.Nullable;

/// How this node reaches the log. Each call is one try, which may be lost: then its answer is a
/// failure. Only the agent thread calls it, and is called by it.
interface LogClient {
  /// What a try has led to.
  interface Answer<T> {
    /// The try is over.
    ///
    /// @param value null when the try has failed
    /// @param failure why it has failed: the command may have been applied, or may be later
    void done(@Nullable T value, String failure);
  }

  void submit(Command command, Answer<Outcome> answer);

  /// Answers with an index: all that was committed before the call has this one or a lower one.
  void barrier(Answer<Long> answer);

  /// Does what is due.
  void due(long now);
}
