// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessContext;

/// The outcome of a child's start.
final class ChildStart {
  private ChildStart() {}

  /// The exit of a start for which no process could be made: its PID belongs to no process.
  static Exit creationFailed(ProcessContext supervisor, Throwable why) {
    Pid own = supervisor.self();
    Pid nobody = new Pid(own.node(), own.host(), 0, own.incarnation());
    return new Exit(nobody, Exit.Reason.FAILED, null, why);
  }

  /// Whether a process that has ended had started before. Its monitor may report the exit before
  /// the result of `AwaitStart` comes.
  static boolean hadStarted(ProcessContext supervisor, Exit exit) {
    return supervisor.runtime().whenStarted(exit.pid()).getNow(false);
  }
}
