// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A process and its descendants, as they were at one moment: when the process has ended, nobody
/// knows who they were. And its process group, if it has one of its own.
///
/// **Thread** any. What is asked of the system here takes it up to a millisecond for each thousand
/// processes that there are.
final class ProcessTree {
  private final ProcessHandle root;
  private final List<ProcessHandle> descendants;
  private final @Nullable StartedProgram leader; // of a group of its own

  private ProcessTree(
      ProcessHandle root, List<ProcessHandle> descendants, @Nullable StartedProgram leader) {
    this.root = root;
    this.descendants = descendants;
    this.leader = leader;
  }

  static ProcessTree of(StartedProgram program) {
    ProcessHandle root = program.handle();
    return new ProcessTree(root, root.descendants().toList(), program.leads() ? program : null);
  }

  /// Sends SIGTERM to all, and to those of its group; the root first, which may tell the others.
  void terminate() {
    root.destroy();
    signalGroup(LinuxSignals.TERM);
    descendants.forEach(ProcessHandle::destroy);
  }

  /// Sends SIGKILL to all that are left, and to those that they have started since.
  void kill() {
    List<ProcessHandle> all = new ArrayList<>(descendants);
    descendants.forEach(each -> each.descendants().forEach(all::add));
    root.descendants().forEach(all::add);
    signalGroup(LinuxSignals.KILL);
    root.destroyForcibly();
    all.forEach(ProcessHandle::destroyForcibly);
  }

  private void signalGroup(int signal) {
    if (leader != null) {
      int _ = leader.signalGroup(signal); // where it fails, there is nobody left
    }
  }

  /// Whether a descendant, or somebody of its group, is there that could still do something.
  boolean hasLiveDescendants() {
    return descendants.stream().anyMatch(each -> each.isAlive() && !isZombie(each))
        || (leader != null && leader.hasLiveGroup());
  }

  // One that has ended and that its parent has not asked for counts as alive, for ever if need be;
  // but its program and its arguments are gone.
  private static boolean isZombie(ProcessHandle process) {
    ProcessHandle.Info info = process.info();
    return info.command().isEmpty() && info.arguments().isEmpty();
  }
}
