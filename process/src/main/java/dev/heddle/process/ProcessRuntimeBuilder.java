// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.HeddleOptions;
import dev.heddle.process.dispatch.CommandRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Configures a runtime. For one thread; each method returns the builder.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=builder}
///
/// @since 0.1
public final class ProcessRuntimeBuilder {
  static final int RANDOM = -1;

  final CommandRegistry registry = new CommandRegistry();
  int workers; // 0: as many as usual
  String node = "";
  String host = "heddle";
  final Map<String, Peer> nodes = new HashMap<>();
  int incarnation = RANDOM;
  int maxProcesses = Integer.MAX_VALUE;
  Duration longStep = Duration.ofMillis(200);
  Consumer<LongStep> longSteps = _ -> {};
  Duration deadlockAfter = Duration.ofSeconds(5);
  Consumer<ProcessDeadlock> deadlocks = _ -> {};
  Duration shutdownDeadline = Duration.ofSeconds(10);
  @Nullable ProcessFactory factory;
  final List<ProcessListener> listeners = new ArrayList<>();
  @Nullable HeddleOptions loop;
  int maxBlockingCalls;
  Lifetime childLifetime = Lifetime.INDEPENDENT;

  ProcessRuntimeBuilder() {}

  /// How many threads step processes; by default the number of processors, and 1 in a simulation.
  public ProcessRuntimeBuilder workers(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("at least one worker is needed: " + count);
    }
    this.workers = count;
    return this;
  }

  /// The name of the node in the PIDs of this runtime. A runtime without one can send to other
  /// nodes, but they have no address for it.
  public ProcessRuntimeBuilder node(String name) {
    this.node = Objects.requireNonNull(name, "node");
    return this;
  }

  /// The name of this runtime on its node, in its PIDs and the names of its threads; `heddle` by
  /// default.
  public ProcessRuntimeBuilder host(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("the name of a host has at least one character");
    }
    this.host = name;
    return this;
  }

  /// Which life of the host this is, in its PIDs; an address of another life leads nowhere. By
  /// default a random number.
  ///
  /// @param life the incarnation, not negative
  public ProcessRuntimeBuilder incarnation(int life) {
    if (life < 0) {
      throw new IllegalArgumentException("an incarnation is not negative: " + life);
    }
    this.incarnation = life;
    return this;
  }

  /// Adds the peer that leads to another node.
  ///
  /// @throws IllegalArgumentException when it has one already
  public ProcessRuntimeBuilder peer(String other, Peer peer) {
    if (nodes.putIfAbsent(other, Objects.requireNonNull(peer, "peer")) != null) {
      throw new IllegalArgumentException(
          "node '" + other + "' has a peer already; name each node once");
    }
    return this;
  }

  /// How many processes may be alive at once; unlimited by default.
  public ProcessRuntimeBuilder maxProcesses(int processes) {
    if (processes < 1) {
      throw new IllegalArgumentException("at least one process must be allowed: " + processes);
    }
    this.maxProcesses = processes;
    return this;
  }

  /// Sets the factory of the processes that upgrades name.
  public ProcessRuntimeBuilder factory(ProcessFactory of) {
    this.factory = Objects.requireNonNull(of, "factory");
    return this;
  }

  /// Adds a listener of starts and ends. Several listeners are called in the order in which they
  /// were added. When one refuses a start, those after it are not called, and those before it are
  /// notified of the end.
  public ProcessRuntimeBuilder listener(ProcessListener of) {
    listeners.add(Objects.requireNonNull(of, "listener"));
    return this;
  }

  /// Sets the handler of the commands of a class.
  ///
  /// @throws IllegalStateException when the class has a handler already
  public <C extends ProcessCommand<R>, R extends @Nullable Object> ProcessRuntimeBuilder handler(
      Class<C> type, CommandHandler<C, R> handler) {
    registry.register(type, handler);
    return this;
  }

  /// How many commands may occupy threads at once: [dev.heddle.process.Commands#call] and those of
  /// handlers on threads. By default the option `offloadThreads` of the loop, usually 64. Further
  /// commands wait for one to end; they wait forever if that one waits for them.
  public ProcessRuntimeBuilder maxBlockingCalls(int atOnce) {
    if (atOnce < 1) {
      throw new IllegalArgumentException("at least one call must be allowed at once: " + atOnce);
    }
    this.maxBlockingCalls = atOnce;
    return this;
  }

  /// The options of the loop on which commands are carried out.
  public ProcessRuntimeBuilder loop(HeddleOptions options) {
    this.loop = Objects.requireNonNull(options, "options");
    return this;
  }

  /// The time in one step after which a process is reported to hold its worker: by a warning in the
  /// log, with the stack, and an event in a flight recording. 200 ms by default.
  public ProcessRuntimeBuilder longStep(Duration limit) {
    return longStep(limit, _ -> {});
  }

  /// Like [#longStep(Duration)]; `handler` is also called, once for each step, while the step goes
  /// on or soon after. An exception of it is logged. **Thread** the one that also writes these
  /// logs; when 1,000 reports wait for it, further ones are dropped.
  public ProcessRuntimeBuilder longStep(Duration limit, Consumer<LongStep> handler) {
    if (limit.isNegative() || limit.isZero()) {
      throw new IllegalArgumentException("a limit of long steps is more than no time: " + limit);
    }
    this.longStep = limit;
    this.longSteps = Objects.requireNonNull(handler, "handler");
    return this;
  }

  /// How long processes must have waited for each other before it is reported as a deadlock: by a
  /// warning in the log, with the waits and the stacks, an event in a flight recording, and in
  /// dumps while it lasts. 5 s by default.
  ///
  /// A runtime checks once a second and reports what two checks have found, so a report takes a
  /// second or two longer. Such waits are: a step that waits for the results of a
  /// [dev.heddle.process.Commands#ask] only; [ProcessRuntime#ask] and [ProcessRuntime#awaitExit] in
  /// a body; sends to a full mailbox with the policy [MailboxPolicy#SUSPEND]. Waits for futures,
  /// locks and queues of the JDK do not count, since it is unknown which process would end them,
  /// except when all workers are blocked in steps by such waits. A request that a process forwards
  /// by its own means, not by [ProcessRuntime#forward], may be reported although it is replied to
  /// later.
  public ProcessRuntimeBuilder deadlock(Duration after) {
    return deadlock(after, _ -> {});
  }

  /// Like [#deadlock(Duration)]; `handler` is also called, once for each deadlock. An exception of
  /// it is logged. **Thread** that of [#longStep(Duration, Consumer)].
  public ProcessRuntimeBuilder deadlock(Duration after, Consumer<ProcessDeadlock> handler) {
    if (after.isNegative()) {
      throw new IllegalArgumentException(
          "a deadlock has not lasted for less than no time: " + after);
    }
    this.deadlockAfter = after;
    this.deadlocks = Objects.requireNonNull(handler, "handler");
    return this;
  }

  /// How long [ProcessRuntime#close] gives all processes to end; 10 s by default.
  ///
  /// @param within the deadline, as for [ProcessRuntime#shutdown]
  public ProcessRuntimeBuilder shutdownDeadline(Duration within) {
    if (within.isNegative()) {
      throw new IllegalArgumentException("a deadline is not in the past: " + within);
    }
    this.shutdownDeadline = within;
    return this;
  }

  /// The lifetime of processes that have a parent and whose start options set none;
  /// [Lifetime#INDEPENDENT] by default.
  public ProcessRuntimeBuilder childLifetime(Lifetime lifetime) {
    this.childLifetime = Objects.requireNonNull(lifetime, "lifetime");
    return this;
  }

  /// Starts the runtime.
  public ProcessRuntime start() {
    return new ProcessRuntime(this, RuntimeParts.ofCurrentThread());
  }

  HeddleOptions loopOptions() {
    HeddleOptions options =
        loop != null
            ? loop
            : HeddleOptions.defaults().withName(host + "-loop").withoutSignalHandling();
    return maxBlockingCalls == 0 ? options : options.withOffloadThreads(maxBlockingCalls);
  }
}
