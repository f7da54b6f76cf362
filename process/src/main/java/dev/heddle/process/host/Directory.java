// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.live.LiveProcess;
import dev.heddle.process.live.ProcessEnvironment;
import dev.heddle.process.relay.LocalPid;
import dev.heddle.process.relay.Routes;
import dev.heddle.process.topology.Names;
import dev.heddle.process.topology.Ties;
import dev.heddle.internal.StackReserve;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The processes of a host, by address and by name. Any thread.
public final class Directory {
  private final ProcessEnvironment host;
  private final Routes routes;
  private final ProcessTable table = new ProcessTable();
  private final Names names = new Names();

  // any thread; whoever closes it writes `closed` last
  private volatile boolean closed;
  private volatile @Nullable CompletableFuture<@Nullable Void> empty;

  /// No processes.
  ///
  /// @param routes to all that is not a process of this host
  Directory(ProcessEnvironment host, Routes routes) {
    this.host = host;
    this.routes = routes;
  }

  // ---- by address ----

  /// The process at an address of this host, or null.
  public @Nullable LiveProcess find(Pid pid) {
    if (pid instanceof LocalPid local
        && local.receiver() instanceof LiveProcess known
        && known.host() == host) {
      return known;
    }
    // the lock of the table, or of the mailbox that it is, stays locked where it is cut off
    StackReserve.requireAmple();
    LiveProcess found = table.find(pid.id());
    return found != null && routes.leadsTo(pid, found.id()) ? found : null;
  }

  /// The same, of an address that must be one of a process of this host, living or not.
  ///
  /// @throws IllegalArgumentException when it is another's, or a mailbox's
  public @Nullable LiveProcess findProcess(Pid pid) {
    LiveProcess found = find(pid);
    if (found == null) {
      if (!routes.isHere(pid)) {
        throw new IllegalArgumentException(
            pid
                + " lives elsewhere; what is sent reaches it, but links, monitors and orders do"
                + " not");
      }
      if (routes.attached(pid) != null) {
        throw new IllegalArgumentException(
            pid + " is a mailbox, no process; it can only be sent to");
      }
    }
    return found;
  }

  /// The exit of a process of which nothing is known.
  public static Exit gone(Pid pid) {
    return new Exit(pid, Exit.Reason.NOT_FOUND, null, null);
  }

  /// An address that leads nowhere: no process gets the number 0.
  public Pid nobody() {
    return routes.address(0);
  }

  // ---- by name ----

  /// The process that has a name, or null.
  public @Nullable LiveProcess named(String name) {
    return names.find(name) instanceof LiveProcess owner ? owner : null;
  }

  /// Gives a process a name.
  ///
  /// @return the process that has it now
  Pid register(String name, LiveProcess process) {
    Names.Holding holding = names.register(name, process);
    if (holding != null) {
      return holding.owner().self();
    }
    throw new IllegalStateException(
        process.self() + " has ended; it cannot take the name '" + name + "' any more");
  }

  /// Completes when a process has a name; one whose end is decided will not have it for long.
  public CompletableFuture<Pid> registered(String name) {
    CompletableFuture<Pid> registered = new CompletableFuture<>();
    Consumer<Ties.Owner> listener = owner -> registered.complete(((LiveProcess) owner).self());
    names.await(name, owner -> !((LiveProcess) owner).isEnding(), listener);
    var _ = registered.whenComplete((_, _) -> names.giveUp(name, listener)); // also when given up
    return registered;
  }

  Names names() {
    return names;
  }

  // ---- all ----

  /// Puts a new process in.
  void add(LiveProcess process) {
    if (!table.add(process)) {
      throw new IllegalStateException("the number of a new process is taken: " + process.self());
    }
  }

  /// A process has ended, and all that are tied to it know.
  void remove(LiveProcess process) {
    table.remove(process);
    CompletableFuture<@Nullable Void> waiting = empty;
    if (waiting != null
        && table.size() == 0) { // whoever closes reads the size after it has said so
      waiting.complete(null);
    }
  }

  /// All processes, as of a moment ago.
  public List<LiveProcess> all() {
    return table.all();
  }

  /// Whether a process has not ended, or not everybody knows of its end.
  boolean has(LiveProcess process) {
    return table.find(process.id()) == process;
  }

  /// How many live.
  public int size() {
    return table.size();
  }

  /// Refuses new processes from now on.
  ///
  /// @return completes when none lives any more
  public CompletableFuture<@Nullable Void> close() {
    CompletableFuture<@Nullable Void> none = new CompletableFuture<>();
    empty = none;
    closed = true;
    if (table.size() == 0) {
      none.complete(null);
    }
    return none;
  }

  /// The same, without waiting for an end.
  void refuse() {
    closed = true;
  }

  /// Whether it refuses new processes.
  public boolean isClosed() {
    return closed;
  }
}
