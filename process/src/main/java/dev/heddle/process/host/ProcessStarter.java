// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Ref;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.TypedProcess;
import dev.heddle.process.UnknownMethodException;
import dev.heddle.process.body.BodyThread;
import dev.heddle.process.live.Failures;
import dev.heddle.process.live.LiveProcess;
import dev.heddle.process.live.Mortal;
import dev.heddle.process.live.ProcessEnvironment;
import dev.heddle.process.relay.Routes;
import dev.heddle.process.topology.Names;
import dev.heddle.process.topology.Ties;
import dev.heddle.internal.StackReserve;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Starts the processes of a host. Any thread.
public final class ProcessStarter {
  private static final String NOTHING_TO_START =
      "the process to spawn is null; whoever makes it must return a new one";

  private final ProcessEnvironment host;
  private final ProcessRuntime runtime;
  private final Routes routes;
  private final Directory directory;
  private final Places places;
  private final Endings endings;
  private final Listeners listeners;
  private final HostEvents events;
  private final int limit;
  private final LongAdder started = new LongAdder();

  ProcessStarter(
      ProcessEnvironment host,
      HostParts parts,
      Directory directory,
      Places places,
      Endings endings,
      Listeners listeners,
      HostEvents events) {
    this.host = host;
    this.runtime = parts.runtime();
    this.routes = parts.routes();
    this.limit = parts.limit();
    this.directory = directory;
    this.places = places;
    this.endings = endings;
    this.listeners = listeners;
    this.events = events;
  }

  /// How many were started.
  public long started() {
    return started.sum();
  }

  /// Starts a process.
  ///
  /// @param by the process that starts it, or null
  /// @return its PID, or that of the process that has its name
  /// @throws NullPointerException when there is nothing to start
  public Pid spawn(Process process, StartOptions options, @Nullable LiveProcess by) {
    return spawn(process, options, by, null);
  }

  /// Starts a process that says which messages it takes.
  ///
  /// @param by the process that starts it, or null
  /// @return what leads to it, or to the process that has its name
  /// @throws StartRefusedException also when that one takes other messages
  public <M> Ref<M> spawnTyped(
      TypedProcess<M> process, StartOptions options, @Nullable LiveProcess by) {
    Class<M> protocol = Objects.requireNonNull(process, NOTHING_TO_START).protocol();
    return runtime.ref(spawn(process, options, by, protocol), protocol);
  }

  private Pid spawn(
      Process process, StartOptions options, @Nullable LiveProcess by, @Nullable Class<?> takes) {
    Objects.requireNonNull(process, NOTHING_TO_START);
    Objects.requireNonNull(
        options, "the options to spawn with are null; use StartOptions.defaults()");
    var _ = BodyThread.carrierOfCall(); // others have their turn
    StackReserve.requireAmple(); // else it might be known, and never begin
    LiveProcess made;
    try {
      made = make(process, by == null ? options : inherited(options, by));
    } catch (Throwable t) {
      Failures.close(process, "a process that was not started");
      throw t;
    }
    LiveProcess other;
    try {
      other = introduce(made, takes);
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
    host.scheduler().start(made, Mortal.here()); // not before: what its code waits for may move
    return made.self();
  }

  private LiveProcess make(Process process, StartOptions options) {
    if (!process.methods().contains(options.method())) {
      throw new UnknownMethodException(options.method(), process.methods());
    }
    checkOpen();
    int worker = Places.worker(host.scheduler());
    if (!places.take(worker)) {
      throw new StartRefusedException(
          "max processes exceeded: " + limit + " live already; end some, or raise limit()", null);
    }
    try {
      LiveProcess made =
          new LiveProcess(host, routes.address(places.number(worker)), process, options);
      directory.add(made);
      return made;
    } catch (Throwable t) {
      places.giveBack(worker);
      throw t;
    }
  }

  private void checkOpen() {
    if (directory.isClosed()) {
      throw new StartRefusedException(
          "the runtime is shutting down; it starts no more processes", null);
    }
  }

  /// Gives a process what its start options say.
  ///
  /// @param protocol of the messages that the process must take that has its name; or null
  /// @return the process, or the one that has its name
  private LiveProcess introduce(LiveProcess made, @Nullable Class<?> protocol) throws Exception {
    checkOpen(); // once more: whoever closes the host sees what is in the table, or we see that
    StartOptions options = made.options();
    if (options.name() != null) {
      Names.Holding holding = directory.names().register(options.name(), made);
      if (holding != null && holding.owner() instanceof LiveProcess owner && owner != made) {
        owner.requireTakes(protocol, options.name(), holding.sinceMillis());
        return owner;
      }
    }
    LiveProcess by = null;
    long monitor = 0;
    if (options.isLinked() || options.isMonitored()) {
      by = parent(options);
      monitor = tie(made, by);
    }
    if (endings.endsWithParent(options)) {
      endings.endWith(parent(options), made);
    }
    try {
      listeners.starts(made.self(), options);
    } catch (Throwable t) {
      if (by != null) { // a start that is refused must not end its parent over the link
        Ties.unlink(made, by);
        var _ = Ties.demonitor(by, monitor);
      }
      throw t;
    }
    made.announced();
    events.started(made);
    return made;
  }

  // ---- what a start gives a process of its parent ----

  /// The options of a process that another one starts.
  private static StartOptions inherited(StartOptions options, LiveProcess by) {
    StartOptions all = options.parent() == null ? by.asParent(options) : options;
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
  private LiveProcess parent(StartOptions options) {
    Pid parent = options.parent();
    LiveProcess by = parent == null ? null : directory.find(parent);
    if (by == null || by.isEnded()) { // a PID may lead to one that has left the table
      throw new StartRefusedException(
          parent == null
              ? "nobody to link to or to be monitored by; give the options a parent"
              : "the parent has ended: " + parent,
          null);
    }
    return by;
  }

  /// Ties a process to its parent as its options say.
  ///
  /// @return the parent's monitor, or 0
  private static long tie(LiveProcess made, LiveProcess by) {
    try {
      if (made.options().isLinked()) {
        Ties.link(made, by);
      }
      return made.options().isMonitored() ? Ties.monitor(by, made) : 0;
    } catch (IllegalStateException e) { // one of the two has ended meanwhile
      throw new StartRefusedException(String.valueOf(e.getMessage()), e);
    }
  }
}
