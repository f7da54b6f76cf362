// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.internal.StackGuard;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Ref;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.TypedProcess;
import dev.heddle.process.UnknownEntryPointException;
import dev.heddle.process.fiber.ProcessFiber;
import dev.heddle.process.instance.ProcessEnvironment;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.instance.ProcessLifecycle;
import dev.heddle.process.links.NameRegistry;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.remote.NodePeer;
import dev.heddle.process.routing.RoutingTable;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Starts the processes of a host. Any thread.
public final class ProcessStarter {
  private static final String NOTHING_TO_START =
      "the process to spawn is null; its factory must return a new one";

  private final ProcessEnvironment host;
  private final ProcessRuntime runtime;
  private final RoutingTable routes;
  private final ProcessDirectory directory;
  private final ProcessSlots slots;
  private final ProcessTermination termination;
  private final Listeners listeners;
  private final HostEvents events;
  private final int limit;
  private final LongAdder started = new LongAdder();

  ProcessStarter(
      ProcessEnvironment host,
      HostComponents parts,
      ProcessDirectory directory,
      ProcessSlots slots,
      ProcessTermination termination,
      Listeners listeners,
      HostEvents events) {
    this.host = host;
    this.runtime = parts.runtime();
    this.routes = parts.routes();
    this.limit = parts.limit();
    this.directory = directory;
    this.slots = slots;
    this.termination = termination;
    this.listeners = listeners;
    this.events = events;
  }

  public long started() {
    return started.sum();
  }

  /// Starts a process.
  ///
  /// @param by the process that starts it, or null
  /// @return its PID, or that of the process that has its name
  /// @throws NullPointerException when there is nothing to start
  public Pid spawn(Process process, StartOptions options, @Nullable ProcessInstance by) {
    return spawn(process, options, by, null, null);
  }

  /// Starts a process for another node.
  ///
  /// @param asker ties it to its parent
  /// @return its PID, or that of the process that has its name
  public Pid spawnFor(NodePeer asker, Process process, StartOptions options) {
    return spawn(process, options, null, null, asker);
  }

  /// Starts a typed process.
  ///
  /// @param by the process that starts it, or null
  /// @return a reference to it, or to the process that has its name
  /// @throws StartRefusedException also when that one does not accept messages of the protocol
  public <M> Ref<M> spawnTyped(
      TypedProcess<M> process, StartOptions options, @Nullable ProcessInstance by) {
    Class<M> protocol = Objects.requireNonNull(process, NOTHING_TO_START).protocol();
    return runtime.ref(spawn(process, options, by, protocol, null), protocol);
  }

  private Pid spawn(
      Process process,
      StartOptions options,
      @Nullable ProcessInstance by,
      @Nullable Class<?> takes,
      @Nullable NodePeer asker) {
    Objects.requireNonNull(process, NOTHING_TO_START);
    Objects.requireNonNull(
        options, "the options to spawn with are null; use StartOptions.defaults()");
    var _ = ProcessFiber.carrierOfCall(); // yields when the budget of the body is spent
    StackGuard.requireAmpleRoom(); // else it might be registered and never begin
    ProcessInstance made;
    try {
      made = newInstance(process, by == null ? options : inherited(options, by));
    } catch (Throwable t) {
      ProcessInstance.close(process, "a process that was not started");
      throw t;
    }
    ProcessInstance other;
    try {
      other = applyOptions(made, takes, asker);
    } catch (Throwable t) {
      made.refuse(t);
      throw t instanceof RuntimeException e
          ? e
          : new StartRefusedException(String.valueOf(t.getMessage()), t);
    }
    if (other != made) {
      made.refuse(new StartRefusedException("the name belongs to " + other.self(), null));
      return other.self();
    }
    started.increment();
    host.scheduler()
        .start(made, ProcessLifecycle.here()); // last: a listener may wait, and move a body
    return made.self();
  }

  private ProcessInstance newInstance(Process process, StartOptions options) {
    if (!process.entryPoints().contains(options.entryPoint())) {
      throw new UnknownEntryPointException(options.entryPoint(), process.entryPoints());
    }
    checkOpen();
    int worker = ProcessSlots.worker(host.scheduler());
    if (!slots.acquire(worker)) {
      throw new StartRefusedException(
          "max processes exceeded: " + limit + " are alive; end some, or raise maxProcesses", null);
    }
    try {
      ProcessInstance made =
          new ProcessInstance(host, routes.address(slots.number(worker)), process, options);
      directory.add(made);
      return made;
    } catch (Throwable t) {
      slots.release(worker);
      throw t;
    }
  }

  private void checkOpen() {
    if (directory.isClosed()) {
      throw new StartRefusedException(
          "the runtime is shutting down; it starts no more processes", null);
    }
  }

  /// Applies the start options to a process.
  ///
  /// @param protocol the messages that the owner of the name must accept; or null
  /// @param asker the connection to the node of its parent; null to look it up
  /// @return the process, or the one that has its name
  private ProcessInstance applyOptions(
      ProcessInstance made, @Nullable Class<?> protocol, @Nullable NodePeer asker)
      throws Exception {
    checkOpen(); // again: close() sees the process in the table, or this call sees `closed`
    StartOptions options = made.options();
    if (options.name() != null) {
      NameRegistry.NameEntry entry = directory.names().register(options.name(), made);
      if (entry != null && entry.owner() instanceof ProcessInstance owner && owner != made) {
        owner.requireTakes(protocol, options.name(), entry.sinceMillis());
        return owner;
      }
    }
    Runnable undo = tieToParent(made, options, asker);
    try {
      listeners.starts(made.self(), options);
    } catch (Throwable t) {
      if (undo != null) { // the end of a refused start must not reach its parent by the link
        undo.run();
      }
      throw t;
    }
    made.announced();
    events.started(made);
    return made;
  }

  /// Links a process to its parent, and makes it end with its parent, as its options say.
  ///
  /// @return undoes the link and the monitor; null when there are none
  private @Nullable Runnable tieToParent(
      ProcessInstance made, StartOptions options, @Nullable NodePeer asker) {
    boolean endsWithParent = termination.endsWithParent(options);
    if (!options.isLinked() && !options.isMonitored() && !endsWithParent) {
      return null;
    }
    Pid parent = options.parent();
    NodePeer node = asker;
    if (node == null && parent != null) {
      node = directory.nodeOf(parent);
    }
    if (node != null && parent != null) {
      return tieToParent(made, node, parent);
    }
    Runnable undo = null;
    if (options.isLinked() || options.isMonitored()) {
      ProcessInstance by = parent(options);
      long monitor = link(made, by);
      undo =
          () -> {
            ProcessLinks.unlink(made, by);
            var _ = ProcessLinks.demonitor(by, monitor);
          };
    }
    if (endsWithParent) {
      termination.endWith(parent(options), made);
    }
    return undo;
  }

  /// The same for a parent on another node.
  private @Nullable Runnable tieToParent(ProcessInstance made, NodePeer node, Pid parent) {
    StartOptions options = made.options();
    if (options.isMonitored()) {
      throw new StartRefusedException(
          "the parent %s is on another node and cannot be made to monitor the process; let it"
                  .formatted(parent)
              + " call monitor()",
          null);
    }
    if (options.isLinked()) {
      node.link(made, parent);
    }
    if (termination.endsWithParent(options)) {
      termination.endWith(node, parent, made);
    }
    return options.isLinked() ? () -> node.unlink(made, parent) : null;
  }

  /// The options of a process that another one starts: its parent and attributes are inherited.
  private static StartOptions inherited(StartOptions options, ProcessInstance by) {
    StartOptions all = options.parent() == null ? by.withThisParent(options) : options;
    Map<String, Object> inheritable = by.inheritable();
    if (inheritable.isEmpty()) {
      return all;
    }
    Map<String, Object> merged = new HashMap<>(inheritable);
    merged.putAll(options.attributes());
    return all.withAttributes(merged);
  }

  /// The parent that options name.
  ///
  /// @throws StartRefusedException when they name none, or it has ended
  private ProcessInstance parent(StartOptions options) {
    Pid parent = options.parent();
    ProcessInstance by = parent == null ? null : directory.find(parent);
    if (by == null || by.isEnded()) { // a PID may lead to one that was removed from the table
      throw new StartRefusedException(
          parent == null
              ? "no parent to link to or be monitored by; give the options a parent"
              : "the parent has ended: " + parent,
          null);
    }
    return by;
  }

  /// Links a process to its parent as its options say.
  ///
  /// @return the reference of the parent's monitor, or 0
  private static long link(ProcessInstance made, ProcessInstance by) {
    try {
      if (made.options().isLinked()) {
        ProcessLinks.link(made, by);
      }
      return made.options().isMonitored() ? ProcessLinks.monitor(by, made) : 0;
    } catch (IllegalStateException e) { // one of the two has ended meanwhile
      throw new StartRefusedException(String.valueOf(e.getMessage()), e);
    }
  }
}
