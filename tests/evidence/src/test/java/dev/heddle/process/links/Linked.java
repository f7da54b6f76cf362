// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.links;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;

/// A process as its ties see it, which ends with those that it is linked to. It notes when its end
/// was decided, and whether that was after it had undone the link.
final class Linked implements ProcessLinks.Owner {
  private final Pid pid;
  private final ProcessLinks processLinks = new ProcessLinks(null);

  // under the lock of its ties
  private int decided;

  // its own thread; read where its end is decided
  private volatile boolean undone;
  private volatile boolean late;

  Linked(long id) {
    this.pid = new Pid("", "h", id, 1);
  }

  @Override
  public ProcessLinks processLinks() {
    return processLinks;
  }

  @Override
  public Pid self() {
    return pid;
  }

  @Override
  public boolean decideLinkExit(Exit exit) {
    decided++;
    late |= undone;
    return false;
  }

  @Override
  public void applyLinkExit(ProcessLinks.Link link, Exit exit, boolean bySignal) {}

  @Override
  public void monitorFired(long monitor, Exit exit) {}

  /// Undoes a link, and notes that this has returned.
  void unlink(Linked other) {
    ProcessLinks.unlink(this, other);
    undone = true;
  }

  void fail() {
    processLinks.exited(
        this, new Exit(pid, Exit.Reason.FAILED, null, null), new NameRegistry()::release);
  }

  /// How often its end was decided.
  int decided() {
    return decided;
  }

  /// Whether that was once after the unlink.
  boolean isLate() {
    return late;
  }
}
