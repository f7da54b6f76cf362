// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.remote.RetryingExecutor;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Represents a process of another node in the links and monitors of this one.
final class StandIn implements ProcessLinks.Owner {
  private final RemoteTies ties;
  private final Pid pid;
  private final ProcessLinks links = new ProcessLinks(null);
  private final RetriedTask telling;

  // ---- under the lock of the ties ----

  /// Whether the other node was asked to tell of the end, by MONITOR or by a start.
  boolean isMonitored;

  /// The processes here that are linked to it: to each the number of the LINK that this node has
  /// sent for it, or 0 when the other node has made the link.
  final Map<Pid, Long> linked = new HashMap<>(2);

  // ---- the thread that tells the end ----

  private @Nullable Exit end; // the same in each call of tell(), which continues by it

  StandIn(RemoteTies ties, Pid pid, RetryingExecutor executor) {
    this.ties = ties;
    this.pid = pid;
    this.telling = new RetriedTask(executor, this::tell, "telling the end of", pid);
  }

  @Override
  public ProcessLinks processLinks() {
    return links;
  }

  @Override
  public Pid self() {
    return pid;
  }

  /// Takes a signal: a stand-in has no end of its own that could be decided here.
  @Override
  public boolean decideLinkExit(Exit exit) {
    return true;
  }

  /// A process here has ended. The other node hears of that by the watch of that process.
  @Override
  public void applyLinkExit(ProcessLinks.Link link, Exit exit, boolean bySignal) {
    var _ = links.consumeLink(link, this);
    ties.untied(this);
  }

  @Override
  public void linkEnded(Exit exit) {
    ties.untied(this);
  }

  @Override
  public void untied() {
    ties.untied(this);
  }

  @Override
  public void monitorFired(long monitor, Exit exit) {
    throw new IllegalStateException(pid + " is of another node; it monitors nothing here");
  }

  /// Tells all that are tied to it. What fails is continued after a pause.
  ///
  /// @param how it has ended; null when that is not known
  void exited(@Nullable Exit how) {
    if (end == null) {
      end = how;
    }
    telling.run();
  }

  private void tell() {
    Exit exit = end;
    if (exit == null) {
      exit = new Exit(pid, Exit.Reason.NO_CONNECTION, null, null);
      end = exit;
    }
    var _ = links.exited(this, exit, (_, _) -> {});
  }
}
