// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A process, its descendants at one moment, and its process group if it has its own. The
/// descendants of a process cannot be found after its end.
///
/// **Thread** any. Calls take up to a millisecond per thousand processes of the machine.
final class ProcessTree {
  private final ProcessHandle root;
  private final List<ProcessHandle> descendants;
  private final @Nullable StartedProgram leader; // if it leads its own group

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

  /// Sends SIGTERM to all and to the group; the root first, which may notify the others.
  void terminate() {
    root.destroy();
    signalGroup(LinuxSignals.TERM);
    descendants.forEach(ProcessHandle::destroy);
  }

  /// Sends SIGKILL to the remaining processes and to those that they have started since.
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
      int _ = leader.signalGroup(signal); // fails when the group is empty
    }
  }

  boolean hasLiveDescendants() {
    return descendants.stream().anyMatch(each -> each.isAlive() && !isZombie(each))
        || (leader != null && leader.hasLiveGroup());
  }

  // A zombie counts as alive for the JDK, but has no command and arguments.
  private static boolean isZombie(ProcessHandle process) {
    ProcessHandle.Info info = process.info();
    return info.command().isEmpty() && info.arguments().isEmpty();
  }
}
