// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.topology;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;

/// A process as its ties see it, which ends with those that it is linked to. It notes when its end
/// was decided, and whether that was after it had undone the link.
final class Linked implements Ties.Owner {
  private final Pid pid;
  private final Ties ties = new Ties(null);

  // under the lock of its ties
  private int decided;

  // its own thread; read where its end is decided
  private volatile boolean undone;
  private volatile boolean late;

  Linked(long id) {
    this.pid = new Pid("", "h", id, 1);
  }

  @Override
  public Ties ties() {
    return ties;
  }

  @Override
  public Pid self() {
    return pid;
  }

  @Override
  public boolean linkBreaks(Exit exit) {
    decided++;
    late |= undone;
    return false;
  }

  @Override
  public void linkBroken(Ties.Link link, Exit exit, boolean bySignal) {}

  @Override
  public void monitorFired(long monitor, Exit exit) {}

  /// Undoes a link, and notes that this has returned.
  void unlink(Linked other) {
    Ties.unlink(this, other);
    undone = true;
  }

  void fail() {
    ties.exited(this, new Exit(pid, Exit.Reason.FAILED, null, null), new Names());
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
