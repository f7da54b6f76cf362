// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import java.util.ArrayList;
import java.util.List;

/// A process and its descendants, as they were at one moment: when the process has ended, nobody
/// knows who they were.
///
/// **Thread** any. What is asked of the system here takes it up to a millisecond for each thousand
/// processes that there are.
final class ProcessTree {
  private final ProcessHandle root;
  private final List<ProcessHandle> descendants;

  private ProcessTree(ProcessHandle root, List<ProcessHandle> descendants) {
    this.root = root;
    this.descendants = descendants;
  }

  static ProcessTree of(ProcessHandle root) {
    return new ProcessTree(root, root.descendants().toList());
  }

  /// Sends SIGTERM to all; the root first, which may tell the others.
  void terminate() {
    root.destroy();
    descendants.forEach(ProcessHandle::destroy);
  }

  /// Sends SIGKILL to all that are left, and to those that they have started since.
  void kill() {
    List<ProcessHandle> all = new ArrayList<>(descendants);
    descendants.forEach(each -> each.descendants().forEach(all::add));
    root.descendants().forEach(all::add);
    root.destroyForcibly();
    all.forEach(ProcessHandle::destroyForcibly);
  }

  /// Whether a descendant is there that could still do something.
  boolean hasLiveDescendants() {
    return descendants.stream().anyMatch(each -> each.isAlive() && !isZombie(each));
  }

  // One that has ended and that its parent has not asked for counts as alive, for ever if need be;
  // but its program and its arguments are gone.
  private static boolean isZombie(ProcessHandle process) {
    ProcessHandle.Info info = process.info();
    return info.command().isEmpty() && info.arguments().isEmpty();
  }
}
