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
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Says how a runtime is to be. For one thread; each method returns the builder.
///
/// @since 0.1
public final class ProcessRuntimeBuilder {
  final CommandRegistry registry = new CommandRegistry();
  int workers = Runtime.getRuntime().availableProcessors();
  String node = "";
  String host = "heddle";
  final Map<String, Peer> nodes = new HashMap<>();
  int incarnation = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
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

  /// How many threads step processes; the number of processors where this is not said.
  public ProcessRuntimeBuilder workers(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("at least one worker is needed: " + count);
    }
    this.workers = count;
    return this;
  }

  /// The name of the node that this runtime is, or is a part of, in its PIDs; a runtime without one
  /// can send to others, but they have no address for it.
  public ProcessRuntimeBuilder node(String name) {
    this.node = Objects.requireNonNull(name, "node");
    return this;
  }

  /// The name of this runtime on its node, in its PIDs and those of its threads; `heddle` where
  /// this is not said.
  public ProcessRuntimeBuilder host(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("the name of a host has at least one character");
    }
    this.host = name;
    return this;
  }

  /// Which life of the host this is, in its PIDs: addresses of another life reach nobody. A random
  /// number where this is not said.
  ///
  /// @param life not negative
  public ProcessRuntimeBuilder incarnation(int life) {
    if (life < 0) {
      throw new IllegalArgumentException("an incarnation is not negative: " + life);
    }
    this.incarnation = life;
    return this;
  }

  /// The way to another node.
  ///
  /// @throws IllegalArgumentException when it has one already
  public ProcessRuntimeBuilder peer(String other, Peer peer) {
    if (nodes.putIfAbsent(other, Objects.requireNonNull(peer, "peer")) != null) {
      throw new IllegalArgumentException(
          "node '" + other + "' has a peer already; name each node once");
    }
    return this;
  }

  /// How many processes may live at once; no limit where this is not said.
  public ProcessRuntimeBuilder maxProcesses(int processes) {
    if (processes < 1) {
      throw new IllegalArgumentException("at least one process must be allowed: " + processes);
    }
    this.maxProcesses = processes;
    return this;
  }

  /// Makes processes of the sources that upgrades name.
  public ProcessRuntimeBuilder factory(ProcessFactory of) {
    this.factory = Objects.requireNonNull(of, "factory");
    return this;
  }

  /// Is told of starts and ends. Several are told in the order in which they were named; the first
  /// that refuses a start is the last that is asked, and those before it are told of the end.
  public ProcessRuntimeBuilder listener(ProcessListener of) {
    listeners.add(Objects.requireNonNull(of, "listener"));
    return this;
  }

  /// Says who carries out the commands of a class.
  ///
  /// @throws IllegalStateException when somebody does already
  public <C extends ProcessCommand<R>, R extends @Nullable Object> ProcessRuntimeBuilder handler(
      Class<C> type, CommandHandler<C, R> handler) {
    registry.register(type, handler);
    return this;
  }

  /// How many commands may be on threads at once, [dev.heddle.process.Commands#call] and those of
  /// handlers on threads: as the option `offloadThreads` of the loop says where this is not said,
  /// usually 64. Those above wait for one to end, and for ever if that one waits for them.
  public ProcessRuntimeBuilder maxBlockingCalls(int atOnce) {
    if (atOnce < 1) {
      throw new IllegalArgumentException("at least one call must be allowed at once: " + atOnce);
    }
    this.maxBlockingCalls = atOnce;
    return this;
  }

  /// How the loop runs on which commands are carried out.
  public ProcessRuntimeBuilder loop(HeddleOptions options) {
    this.loop = Objects.requireNonNull(options, "options");
    return this;
  }

  /// After which time in one step a process is reported to hold its worker: by a warning in the
  /// log, with the stack, and an event in a flight recording. 200 ms where this is not said.
  public ProcessRuntimeBuilder longStep(Duration limit) {
    return longStep(limit, _ -> {});
  }

  /// The same; `handler` is told, too, once for each step, while the step goes on or soon after.
  /// What it throws is logged. **Thread** one for that, on which the log is written too: when 1,000
  /// reports wait for it, the next are dropped.
  public ProcessRuntimeBuilder longStep(Duration limit, Consumer<LongStep> handler) {
    if (limit.isNegative() || limit.isZero()) {
      throw new IllegalArgumentException("a limit of long steps is more than no time: " + limit);
    }
    this.longStep = limit;
    this.longSteps = Objects.requireNonNull(handler, "handler");
    return this;
  }

  /// For how long processes must have waited for each other before that is reported as a deadlock:
  /// by a warning in the log, with who waits for whom and the stacks, an event in a flight
  /// recording, and in dumps while it lasts. 5 s where this is not said.
  ///
  /// A runtime looks once a second, and reports what two looks have found; so it takes a second or
  /// two longer. What counts as such a wait: [ProcessDeadlock.Kind], and `call` of an
  /// [dev.heddle.process.Commands#ask], [ProcessRuntime#ask] and [ProcessRuntime#awaitExit] in a
  /// body, and sends to a full mailbox with the policy [MailboxPolicy#SUSPEND]. Waits for futures,
  /// locks and queues of the JDK do not count, for nobody knows who ends them, but where all
  /// workers stand in steps that wait so. A request that a process has passed on by hand, not by
  /// [ProcessRuntime#forward], may be reported though it is answered later.
  public ProcessRuntimeBuilder deadlock(Duration after) {
    return deadlock(after, _ -> {});
  }

  /// The same; `handler` is told, too, once for each deadlock. What it throws is logged. **Thread**
  /// that of [#longStep(Duration, Consumer)].
  public ProcessRuntimeBuilder deadlock(Duration after, Consumer<ProcessDeadlock> handler) {
    if (after.isNegative()) {
      throw new IllegalArgumentException(
          "a deadlock has not lasted for less than no time: " + after);
    }
    this.deadlockAfter = after;
    this.deadlocks = Objects.requireNonNull(handler, "handler");
    return this;
  }

  /// How much time [ProcessRuntime#close] gives all processes to end; 10 s where this is not said.
  ///
  /// @param within as [ProcessRuntime#shutdown] takes it
  public ProcessRuntimeBuilder shutdownDeadline(Duration within) {
    if (within.isNegative()) {
      throw new IllegalArgumentException("a deadline is not in the past: " + within);
    }
    this.shutdownDeadline = within;
    return this;
  }

  /// How long processes live whose start options do not say, and which have a parent:
  /// [Lifetime#INDEPENDENT] where this is not said.
  public ProcessRuntimeBuilder childLifetime(Lifetime lifetime) {
    this.childLifetime = Objects.requireNonNull(lifetime, "lifetime");
    return this;
  }

  /// Starts the workers.
  public ProcessRuntime start() {
    return new ProcessRuntime(this);
  }

  HeddleOptions loopOptions() {
    HeddleOptions options =
        loop != null
            ? loop
            : HeddleOptions.defaults().withName(host + "-loop").withHandleSignals(false);
    return maxBlockingCalls == 0 ? options : options.withOffloadThreads(maxBlockingCalls);
  }
}
