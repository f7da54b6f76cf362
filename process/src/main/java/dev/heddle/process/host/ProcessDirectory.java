// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.internal.StackGuard;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.instance.ProcessEnvironment;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.instance.ProcessLifecycle;
import dev.heddle.process.links.NameRegistry;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.remote.NodePeer;
import dev.heddle.process.routing.LocalPid;
import dev.heddle.process.routing.RoutingTable;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The processes of a host, by address and by name. Any thread.
public final class ProcessDirectory {
  private final ProcessEnvironment host;
  private final RoutingTable routes;
  private final ProcessTable table = new ProcessTable();
  private final NameRegistry names = new NameRegistry();

  // any thread; close() writes `closed` last
  private volatile boolean closed;
  private volatile @Nullable CompletableFuture<@Nullable Void> empty;

  /// @param routes leads to all that is not a process of this host
  ProcessDirectory(ProcessEnvironment host, RoutingTable routes) {
    this.host = host;
    this.routes = routes;
  }

  // ---- by address ----

  /// The process at an address of this host, or null.
  public @Nullable ProcessInstance find(Pid pid) {
    if (pid instanceof LocalPid local
        && local.receiver() instanceof ProcessInstance known
        && known.host() == host) {
      return known;
    }
    // a stack overflow would leave the lock of the table, or of a coroutine's mailbox, locked
    StackGuard.requireAmpleRoom();
    // the table has a lock, which senders to other nodes do not take
    return routes.leadsTo(pid, pid.id()) ? table.find(pid.id()) : null;
  }

  /// Like [#find], for an address that must be that of a process of this host, alive or not.
  ///
  /// @throws IllegalArgumentException when it is that of another host or of a mailbox
  public @Nullable ProcessInstance findProcess(Pid pid) {
    ProcessInstance found = find(pid);
    if (found == null) {
      if (!routes.isLocal(pid)) {
        throw new IllegalArgumentException(
            pid
                + " belongs to another runtime; messages reach it through any peer, but links,"
                + " monitors and orders only through a connection of a cluster: join one with this"
                + " runtime, by Cluster.join(runtime, options) of the module dev.heddle.cluster");
      }
      if (routes.attached(pid) != null) {
        throw new IllegalArgumentException(
            pid + " is a mailbox and not a process; it can only be sent to");
      }
    }
    return found;
  }

  /// The connection to the node of an address, for links, monitors and orders; null for an address
  /// here, and when there is no such connection.
  @Nullable NodePeer nodeOf(Pid pid) {
    return find(pid) == null ? routes.nodePeerOf(pid) : null;
  }

  public static Exit exitOfUnknown(Pid pid) {
    return new Exit(pid, Exit.Reason.NOT_FOUND, null, null);
  }

  /// Completes when a process ends, or the connection to its node; at once when it has ended or
  /// never existed.
  ///
  /// @throws IllegalArgumentException as [#findProcess], without a connection to its node
  public CompletableFuture<Exit> whenExited(Pid pid) {
    NodePeer node = nodeOf(pid);
    return node == null ? whenExitedHere(pid) : node.whenExited(pid);
  }

  /// Completes when a process of this host ends; at once when it has ended or never existed.
  ///
  /// @throws IllegalArgumentException as [#findProcess]
  public CompletableFuture<Exit> whenExitedHere(Pid pid) {
    CompletableFuture<Exit> exit = new CompletableFuture<>();
    ProcessInstance live = findProcess(pid);
    if (live == null) {
      exit.complete(exitOfUnknown(pid));
    } else {
      Consumer<Exit> listener = exit::complete;
      live.processLinks().onExit(listener);
      var _ =
          exit.whenComplete((_, _) -> live.processLinks().offExit(listener)); // also when given up
    }
    return exit;
  }

  /// Completes with true when a process has started, with false when it ends before or does not
  /// exist.
  ///
  /// @throws IllegalArgumentException as [#whenExited]
  public CompletableFuture<Boolean> whenStarted(Pid pid) {
    NodePeer node = nodeOf(pid);
    return node == null ? whenStartedHere(pid) : node.whenStarted(pid);
  }

  /// The same for a process of this host.
  ///
  /// @throws IllegalArgumentException as [#findProcess]
  public CompletableFuture<Boolean> whenStartedHere(Pid pid) {
    CompletableFuture<Boolean> started = new CompletableFuture<>();
    ProcessInstance live = findProcess(pid);
    if (live == null) {
      started.complete(false);
    } else {
      Consumer<Boolean> listener = yes -> started.complete(yes || live.hasStarted());
      live.onStarted(listener);
      var _ = started.whenComplete((_, _) -> live.offStarted(listener)); // also when given up
    }
    return started;
  }

  /// An address that leads nowhere: no process gets the number 0.
  public Pid nullPid() {
    return routes.address(0);
  }

  // ---- links and monitors, on the worker of the process that adds or removes them ----

  void link(ProcessInstance one, Pid other) {
    StackGuard.requireAmpleRoom(); // else a stack overflow could leave a link on one side only
    NodePeer node = nodeOf(other);
    if (node != null) {
      node.link(one, other);
      return;
    }
    ProcessInstance found = findProcess(other);
    if (found != null) {
      ProcessLinks.link(one, found);
    } else {
      ProcessLinks.linkToEnded(one, exitOfUnknown(routes.canonical(other))); // the key of unlink()
    }
  }

  void unlink(ProcessInstance one, Pid other) {
    StackGuard.requireAmpleRoom(); // a stack overflow would leave a lock locked
    ProcessInstance found = find(other);
    NodePeer node = found == null ? routes.nodePeerOf(other) : null;
    if (found != null) {
      ProcessLinks.unlink(one, found);
    } else if (node != null) {
      node.unlink(one, other);
    } else {
      one.processLinks().unlinkEnded(routes.canonical(other));
    }
  }

  long monitor(ProcessLifecycle watcher, Pid target, LongConsumer known) {
    StackGuard.requireAmpleRoom(); // as above
    NodePeer node = nodeOf(target);
    if (node != null) {
      return node.monitor(watcher, target, known);
    }
    ProcessInstance found = findProcess(target);
    return found != null
        ? ProcessLinks.monitor(watcher, found, known)
        : ProcessLinks.monitorEnded(watcher, exitOfUnknown(target), known);
  }

  // ---- by name ----

  public @Nullable ProcessInstance named(String name) {
    return names.find(name) instanceof ProcessInstance owner ? owner : null;
  }

  /// Gives a process a name.
  ///
  /// @return the process that has it now
  Pid register(String name, ProcessInstance process) {
    NameRegistry.NameEntry entry = names.register(name, process);
    if (entry != null) {
      return entry.owner().self();
    }
    throw new IllegalStateException(
        process.self() + " has ended; it cannot take the name '" + name + "' any more");
  }

  /// Completes when a process has a name whose end is not decided: any other will not have it for
  /// long.
  public CompletableFuture<Pid> registered(String name) {
    CompletableFuture<Pid> registered = new CompletableFuture<>();
    Consumer<ProcessLinks.Owner> listener =
        owner -> registered.complete(((ProcessInstance) owner).self());
    names.await(name, owner -> !((ProcessInstance) owner).isEnding(), listener);
    var _ =
        registered.whenComplete((_, _) -> names.stopWaiting(name, listener)); // also when given up
    return registered;
  }

  NameRegistry names() {
    return names;
  }

  // ---- all ----

  void add(ProcessInstance process) {
    if (!table.add(process)) {
      throw new IllegalStateException("the number of a new process is taken: " + process.self());
    }
  }

  /// Removes a process that has ended, after its links, monitors and listeners were notified.
  void remove(ProcessInstance process) {
    table.remove(process);
    CompletableFuture<@Nullable Void> waiting = empty;
    if (waiting != null && table.size() == 0) { // close() reads the size after it has set `empty`
      waiting.complete(null);
    }
  }

  /// One of [ProcessTable#parts()] parts of all processes, as of a moment ago.
  List<ProcessInstance> part(int number) {
    return table.part(number);
  }

  /// All processes, as of a moment ago.
  public List<ProcessInstance> all() {
    return table.all();
  }

  /// Whether a process has not ended, or its exit is still being announced.
  boolean has(ProcessInstance process) {
    return table.find(process.id()) == process;
  }

  public int size() {
    return table.size();
  }

  /// Refuses new processes from now on.
  ///
  /// @return completes when no process is alive any more
  public CompletableFuture<@Nullable Void> close() {
    CompletableFuture<@Nullable Void> none = new CompletableFuture<>();
    empty = none;
    closed = true;
    if (table.size() == 0) {
      none.complete(null);
    }
    return none;
  }

  /// Like [#close], without waiting for the ends.
  void refuse() {
    closed = true;
  }

  public boolean isClosed() {
    return closed;
  }
}
