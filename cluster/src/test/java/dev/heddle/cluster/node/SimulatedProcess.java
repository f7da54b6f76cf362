// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static dev.heddle.cluster.node.SimulatedNode.check;

import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.NoReplyException;
import dev.heddle.process.Pid;
import dev.heddle.process.links.ProcessLinks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// A process of a simulated node: its links and monitors, a mailbox that is a number, and the
/// requests that it has not answered. It traps exits, unless it is a child of another node.
final class SimulatedProcess implements ProcessLinks.Owner {
  private static final int CAPACITY = 8;
  private static final int NEARLY_FULL = 6;
  private static final int HALF = 4;

  private final Pid self;
  private final ProcessLinks links = new ProcessLinks(null);
  private final BiConsumer<SimulatedProcess, Exit.Reason> ended;
  final @Nullable Pid parent; // of another node, and linked; null for others
  final Map<Long, Exit> downs = new HashMap<>(); // by the reference of the monitor
  final Map<Long, Pid> monitors = new HashMap<>();
  final Set<Pid> linked = new HashSet<>(); // by this process, and not broken
  final Map<Long, CompletableFuture<@Nullable Object>> requests = new LinkedHashMap<>();
  private final List<CompletableFuture<@Nullable Void>> waiting = new ArrayList<>(); // for space
  private int inMailbox;
  @Nullable Exit exit;

  /// @param ended is told of an end that a link has caused
  SimulatedProcess(
      Pid self, @Nullable Pid parent, BiConsumer<SimulatedProcess, Exit.Reason> ended) {
    this.self = self;
    this.parent = parent;
    this.ended = ended;
  }

  @Override
  public ProcessLinks processLinks() {
    return links;
  }

  @Override
  public Pid self() {
    return self;
  }

  // ---- links and monitors ----

  @Override
  public boolean decideLinkExit(Exit how) {
    return parent == null;
  }

  @Override
  public void applyLinkExit(ProcessLinks.Link link, Exit how, boolean bySignal) {
    if (bySignal) {
      check(
          links.consumeLink(link, this),
          () -> "C4: %s was told twice that its link is broken: %s".formatted(self, how));
      linked.remove(how.pid());
    } else if (exit == null) {
      ended.accept(this, Exit.Reason.LINKED);
    }
  }

  @Override
  public void linkEnded(Exit how) {
    linked.remove(how.pid());
  }

  @Override
  public void monitorFired(long monitor, Exit how) {
    check(
        links.consumeMonitor(monitor) && downs.put(monitor, how) == null,
        () -> "C4: %s was told twice of monitor %d: %s".formatted(self, monitor, how));
  }

  void end(Exit.Reason reason) {
    Exit how = new Exit(self, reason, null, null);
    exit = how;
    List.copyOf(requests.values())
        .forEach(it -> it.completeExceptionally(new NoReplyException(how)));
    links.exited(this, how, (_, _) -> {});
    drain();
  }

  // ---- the mailbox ----

  MailboxPolicy policy() {
    return self.id() % 2 == 0 ? MailboxPolicy.SUSPEND : MailboxPolicy.REJECT;
  }

  boolean isNearlyFull() {
    return inMailbox >= NEARLY_FULL;
  }

  /// Puts a message into the mailbox.
  ///
  /// @return false when it is full
  boolean put() {
    if (inMailbox == CAPACITY) {
      return false;
    }
    inMailbox++;
    return true;
  }

  CompletableFuture<@Nullable Void> room() {
    CompletableFuture<@Nullable Void> room = new CompletableFuture<>();
    if (inMailbox <= HALF || exit != null) {
      room.complete(null);
    } else {
      waiting.add(room);
    }
    return room;
  }

  /// Takes all messages.
  void drain() {
    inMailbox = 0;
    List<CompletableFuture<@Nullable Void>> told = List.copyOf(waiting);
    waiting.clear();
    told.forEach(it -> it.complete(null));
  }
}
