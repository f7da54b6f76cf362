// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessContext;

/// What has become of the start of a child that has ended.
final class ChildStart {
  private ChildStart() {}

  /// How a start has ended for which no process could be made: the PID is nobody's.
  static Exit creationFailed(ProcessContext supervisor, Throwable why) {
    Pid own = supervisor.self();
    Pid nobody = new Pid(own.node(), own.host(), 0, own.incarnation());
    return new Exit(nobody, Exit.Reason.FAILED, null, why);
  }

  /// Whether a process that has ended had started before. Its monitor may tell of the end before
  /// `AwaitStart`, which was yielded behind the start, tells of that.
  static boolean hadStarted(ProcessContext supervisor, Exit exit) {
    return supervisor.runtime().whenStarted(exit.pid()).getNow(false);
  }
}
