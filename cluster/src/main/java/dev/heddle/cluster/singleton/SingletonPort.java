// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.singleton;

import dev.heddle.cluster.roster.SingletonSpec;
import dev.heddle.process.Pid;
import org.jspecify.annotations.Nullable;

/// What singletons need of their node. No method waits; the agent of the node calls them.
public interface SingletonPort {
  /// A process that does nothing until it is told to begin.
  interface Waiting {
    Pid pid();

    /// Lets it begin, by the token by which it owns its name now.
    void begin(long token);
  }

  /// What becomes of one start. Any thread calls it.
  interface Run {
    /// There is a process.
    void made(Waiting process);

    /// It has ended, or could not be made.
    ///
    /// @param failure why, in words; null when it has ended on purpose: then it is not started
    ///   again
    void ended(@Nullable String failure);
  }

  /// Whether this node can run a singleton: it is at the place, and has the entry and the types of
  /// the input.
  boolean canRun(SingletonSpec spec);

  /// Makes the process of a singleton.
  void make(SingletonSpec spec, Run run);

  /// Asks a process to end, and ends it after a time.
  void cancel(Pid pid, String reason, long nanos);
}
