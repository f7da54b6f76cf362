// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.links.ProcessLinks;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A process that is only links and monitors: it traps exits, and notes what it is told.
final class FakeProcess implements ProcessLinks.Owner {
  private final Pid self;
  private final ProcessLinks links = new ProcessLinks(null);
  final List<Exit> linkDowns = new ArrayList<>();
  final Map<Long, Exit> downs = new LinkedHashMap<>();
  final List<String> faults = new ArrayList<>();
  @Nullable Exit exit;
  Runnable whenTied = () -> {}; // called whenever its links and monitors are asked for

  FakeProcess(Pid self) {
    this.self = self;
  }

  @Override
  public ProcessLinks processLinks() {
    whenTied.run();
    return links;
  }

  @Override
  public Pid self() {
    return self;
  }

  @Override
  public boolean decideLinkExit(Exit how) {
    return true;
  }

  @Override
  public void applyLinkExit(ProcessLinks.Link link, Exit how, boolean bySignal) {
    if (!links.consumeLink(link, this)) {
      faults.add("%s was told of a link that it does not have: %s".formatted(self, how));
    }
    linkDowns.add(how);
  }

  @Override
  public void monitorFired(long monitor, Exit how) {
    if (!links.consumeMonitor(monitor)) {
      faults.add("%s was told of a monitor that it does not have: %s".formatted(self, how));
    }
    if (downs.put(monitor, how) != null) {
      faults.add("%s was told twice of monitor %d: %s".formatted(self, monitor, how));
    }
  }

  boolean isAlive() {
    return exit == null;
  }

  void end(Exit.Reason reason) {
    end(new Exit(self, reason, null, null));
  }

  void end(Exit how) {
    exit = how;
    links.exited(this, how, (_, _) -> {});
  }
}
