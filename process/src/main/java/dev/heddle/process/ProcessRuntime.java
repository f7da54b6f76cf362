// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.DeadlineException;
import dev.heddle.process.dispatch.CommandLoop;
import dev.heddle.process.dispatch.Dispatcher;
import dev.heddle.process.event.EventBus;
import dev.heddle.process.fiber.Awaited;
import dev.heddle.process.fiber.ProcessFiber;
import dev.heddle.process.host.HostComponents;
import dev.heddle.process.host.HostInspector;
import dev.heddle.process.host.HostShutdown;
import dev.heddle.process.host.ProcessDirectory;
import dev.heddle.process.host.ProcessHost;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.observe.ProcessJfrEvents;
import dev.heddle.process.observe.RuntimeDump;
import dev.heddle.process.observe.RuntimeRegistration;
import dev.heddle.process.routing.RoutingTable;
import dev.heddle.process.scheduler.LongStepHandler;
import dev.heddle.process.scheduler.Task;
import dev.heddle.process.scheduler.WorkScheduler;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.process.timer.Timers;
import dev.heddle.process.timer.WaitTimeout;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Runs processes on all cores.
///
/// Its threads are daemons: a program ends with its last other thread, whatever its processes do
/// then. So `main` waits for what is to be done: `Heddle.await(runtime.whenExited(pid))`, and
/// behind it [#close], by `try`, which lets all others end. A server waits for a process that never
/// ends.
///
/// **Thread** any. What waits ([#ask], [#shutdown]) suspends a coroutine of a loop, blocks a
/// thread, and is refused in a step of a process, which it would hold.
///
/// @since 0.1
public final class ProcessRuntime implements AutoCloseable {
  private final WorkScheduler scheduler;
  private final RoutingTable routingTable;
  private final ProcessHost host;
  private final HostInspector view;
  private final RuntimeRegistration managed;
  private final CommandLoop loops;
  private final Timers timers;
  private final RequestSender requests;
  private final Duration shutdownDeadline;
  private final String name;
  private final long startNanos = System.nanoTime();
  private final AtomicBoolean shuttingDown = new AtomicBoolean();
  private final CompletableFuture<ShutdownReport> report = new CompletableFuture<>();

  ProcessRuntime(ProcessRuntimeBuilder how) {
    // initialised while there is stack: where that ends it could not be, and then never again
    Objects.requireNonNull(StartOptions.defaults());
    this.name = how.host;
    this.scheduler =
        new WorkScheduler(how.host, how.workers, watch(), BoundedWaits.bounded(how.longStep));
    this.loops = new CommandLoop(how.loopOptions());
    this.timers = new Timers("heddle-timers-" + how.host);
    this.requests = new RequestSender(this::host);
    this.shutdownDeadline = how.shutdownDeadline;
    this.routingTable = new RoutingTable(how.node, how.host, how.incarnation);
    how.nodes.forEach(routingTable::addNode);
    this.host =
        new ProcessHost(
            new HostComponents(
                this,
                scheduler,
                routingTable,
                how.maxProcesses,
                how.factory,
                how.listeners,
                CoroutineProcess::fiberOf,
                request -> request.reply().unreceived(),
                how.childLifetime),
            new Dispatcher(how.registry, loops, timers, requests),
            timers);
    HostShutdown.prepare();
    scheduler.onFailure(host::abandonAll);
    scheduler.yieldToTimersWhile(timers::isLate);
    this.view =
        new HostInspector(
            host, how.longSteps, BoundedWaits.bounded(how.deadlockAfter), how.deadlocks);
    this.managed = new RuntimeRegistration(new RuntimeBean(this, how.host), this::written);
    managed.join();
    ProcessFiber.prepare();
    timers.start();
    scheduler.start();
  }

  /// A runtime with a worker for each processor.
  public static ProcessRuntime start() {
    return builder().start();
  }

  /// Says how a runtime is to be.
  public static ProcessRuntimeBuilder builder() {
    return new ProcessRuntimeBuilder();
  }

  private ProcessHost host() {
    return host;
  }

  // ---- processes ----

  /// Starts a process.
  ///
  /// @throws StartRefusedException when there are too many, or the runtime shuts down
  public Pid spawn(Process process) {
    return spawn(process, StartOptions.defaults());
  }

  /// Starts a process; returns the PID of the one that has its name, if there is one already.
  ///
  /// @throws UnknownEntryPointException when it has no such entry point
  /// @throws StartRefusedException when there are too many, the runtime shuts down, or an option
  ///   cannot be met
  public Pid spawn(Process process, StartOptions options) {
    return host.starter().spawn(process, options, null);
  }

  /// Starts a process that says which messages it takes. Else as [#spawn(Process)].
  ///
  /// @return what leads to it: the compiler lets only messages of its protocol through
  public <M> Ref<M> spawn(TypedProcess<M> process) {
    return spawn(process, StartOptions.defaults());
  }

  /// Starts a process that says which messages it takes. Else as [#spawn(Process, StartOptions)].
  ///
  /// @return what leads to it, or to the process that has its name: the compiler lets only messages
  ///   of its protocol through
  /// @throws StartRefusedException also when the process that has its name does not take messages
  ///   of that protocol
  public <M> Ref<M> spawn(TypedProcess<M> process, StartOptions options) {
    return host.starter().spawnTyped(process, options, null);
  }

  /// What leads to one process, typed. Nobody checks that it takes such messages: a message that it
  /// does not know is treated as its class says.
  public <M> Ref<M> ref(Pid pid, Class<M> protocol) {
    return new Ref<>(this, pid, null, protocol);
  }

  /// What leads to whoever has a name at the time, typed: so it survives restarts. Nobody checks
  /// that the process takes such messages.
  public <M> Ref<M> ref(String name, Class<M> protocol) {
    return new Ref<>(this, null, name, protocol);
  }

  /// Sends a message. **Suspends** a coroutine, and the body of a [CoroutineProcess], while the
  /// mailbox is full and its policy is [MailboxPolicy#SUSPEND]; nobody else.
  ///
  /// @throws SendFailedException when it was not accepted
  public void send(Pid to, @Nullable Object message) {
    SendResult result = host.send(to, message);
    if (result != SendResult.ACCEPTED) {
      throw new SendFailedException(to, result);
    }
  }

  /// Sends a message to whoever has a name at this moment. Else as [#send(Pid, Object)].
  ///
  /// @throws SendFailedException when no process has the name, or it was not accepted
  public void send(String name, @Nullable Object message) {
    send(find(name, message), message);
  }

  /// The process that has a name, for a message.
  Pid find(String name, @Nullable Object message) {
    return requests.find(name, message);
  }

  /// Sends a message, and says what became of it. **Suspends** never.
  public SendResult offer(Pid to, @Nullable Object message) {
    return host.offer(to, message);
  }

  /// Sends a message to whoever has a name at this moment, and says what became of it:
  /// [SendResult#NOT_FOUND] when no process has the name. **Suspends** never.
  public SendResult offer(String name, @Nullable Object message) {
    ProcessInstance to = host.directory().named(name);
    return to == null ? host.refused(name, message) : host.offer(to.self(), message);
  }

  /// Asks whoever has a name at this moment. Else as [#ask(Pid, Object, Duration)].
  ///
  /// @param <R> of the answer, as the two have agreed
  @SuppressWarnings("TypeParameterUnusedInFormals") // who asks knows what is answered
  public <R extends @Nullable Object> R ask(String name, @Nullable Object message, Duration limit)
      throws InterruptedException {
    return ask(find(name, message), message, limit);
  }

  /// Sends a message as a [Request] and waits for the answer.
  ///
  /// @param <R> of the answer, as the two have agreed
  /// @param limit how long to wait
  /// @throws SendFailedException when it was not accepted
  /// @throws DeadlineException when no answer came in time
  /// @throws AskFailedException when the process has ended without an answer, or has answered with
  ///   a failure
  /// @throws IllegalStateException in a step of a process, which it would hold
  @SuppressWarnings({
    "unchecked",
    "NullAway",
    "TypeParameterUnusedInFormals"
  }) // the two have agreed
  public <R extends @Nullable Object> R ask(Pid to, @Nullable Object message, Duration limit)
      throws InterruptedException {
    BoundedWaits.checkMayWait("ask");
    Reply<@Nullable Object> reply = Reply.untyped(new CompletableFuture<>());
    requests.send(to, message, reply);
    return (R) BoundedWaits.await(to, reply, limit);
  }

  <R extends @Nullable Object> R ask(Pid to, Function<Reply<R>, ?> message, Duration limit)
      throws InterruptedException {
    BoundedWaits.checkMayWait("ask");
    Reply<R> reply = Reply.inMessage(new CompletableFuture<>());
    requests.send(to, message, reply);
    return BoundedWaits.await(to, reply, limit);
  }

  /// Sends a message as a [Request]. The future is the answer; completing or cancelling it gives
  /// the answer up. What depends on it runs where it is answered, most often on a worker, and must
  /// not block there: the `…Async` forms take an executor.
  @SuppressWarnings("unchecked") // what the answer is, the two have agreed
  public <R extends @Nullable Object> CompletableFuture<R> request(
      Pid to, @Nullable Object message) {
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    requests.send(to, message, answer);
    return (CompletableFuture<R>) answer;
  }

  /// Lets another process answer a request. Like [#request] of its message, but that process can
  /// see when the first asker gives up: its [Reply#isOpen] says so, and the future is cancelled as
  /// soon as it has looked. The answer comes to the future only: whoever hands a request on may
  /// look at it, and answers in its turn. When that process ends without having taken the request,
  /// the future fails with a [SendFailedException], whose cause tells of the end.
  public CompletableFuture<@Nullable Object> forward(Pid to, Request request) {
    request.reply().delegate();
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    requests.send(to, request.message(), Reply.forwarded(answer, request.reply()));
    return answer;
  }

  /// Sends a message that carries the reply to it, which the future is the answer of.
  <R extends @Nullable Object> void request(
      Pid to, Function<Reply<R>, ?> message, CompletableFuture<R> answer) {
    requests.send(to, message, Reply.inMessage(answer));
  }

  // ---- other runtimes, and coroutines ----

  /// This runtime as a peer of others: takes messages for its own processes and mailboxes, and
  /// refuses all others as [SendResult#UNREACHABLE].
  public Peer asPeer() {
    return (to, message) -> {
      if (!routingTable.isLocal(to)) {
        return SendResult.UNREACHABLE;
      }
      return message instanceof Request request
          ? requests.deliver(to, request)
          : host.offer(to, message);
    };
  }

  /// Adds the way to another node.
  ///
  /// @throws IllegalArgumentException when that node is this one, or has a peer
  public void connect(String node, Peer peer) {
    routingTable.addNode(node, peer);
  }

  /// Takes away the way to another node: what is sent there from now on is
  /// [SendResult#UNREACHABLE].
  ///
  /// @return false when there is none
  public boolean disconnect(String node) {
    return routingTable.removeNode(node);
  }

  /// Adds the way to another host of this node.
  ///
  /// @throws IllegalArgumentException when that host is this one, or has a peer
  public void connectHost(String other, Peer peer) {
    routingTable.addHost(other, peer);
  }

  /// Takes away the way to another host of this node.
  ///
  /// @return false when there is none
  public boolean disconnectHost(String other) {
    return routingTable.removeHost(other);
  }

  /// Opens a mailbox for a coroutine, with a PID of its own. The shutdown closes it.
  ///
  /// @param capacity how many messages may wait in it, at least 1
  /// @throws IllegalStateException when the runtime has shut down
  public CoroutineMailbox mailbox(int capacity) {
    return new CoroutineMailbox(routingTable, host.newNumber(), capacity);
  }

  /// Asks a process to end, by [ProcessSignal.Cancel], and terminates it when it has not by the
  /// deadline. One that does not trap exits ends before its next step, with [Exit.Reason#SHUTDOWN]:
  /// it was asked, and a supervisor does not restart a TRANSIENT child for that.
  ///
  /// @param reason in words
  /// @param within how much time it has
  /// @throws SendFailedException when there is no such process
  public void cancel(Pid pid, String reason, Duration within) {
    host.endings().cancel(find(pid), reason, BoundedWaits.bounded(within));
  }

  /// Asks a process to end, with a reason in the program's own terms. Else as
  /// [ProcessContext#requestExit]; the signal names nobody.
  ///
  /// @throws SendFailedException when there is no such process
  public void requestExit(Pid pid, Object detail) {
    host.endings().requestExit(pid, new ProcessSignal.ExitRequest(null, detail));
  }

  /// The limit of the waits of a body.
  ///
  /// @param wake called when it is over
  WaitTimeout waitLimit(Runnable wake) {
    return new WaitTimeout(timers, wake);
  }

  /// How many timers there are, some of them disarmed, as of a moment ago.
  int timers() {
    return timers.size();
  }

  /// Ends a process before its next step. It is not asked: [#cancel] asks.
  ///
  /// @throws SendFailedException when there is no such process
  public void terminate(Pid pid) {
    ProcessInstance live = find(pid);
    live.terminate("process terminated");
  }

  private ProcessInstance find(Pid pid) {
    return host.endings().living(pid);
  }

  /// Who has a name, or null.
  public @Nullable Pid whereIs(String name) {
    ProcessInstance owner = host.directory().named(name);
    return owner == null ? null : owner.self();
  }

  /// Completes when a process has a name, with its PID: at once when one has it. Cancelling it
  /// gives the wait up. What depends on it runs on the thread of whoever takes the name, and must
  /// not block there.
  public CompletableFuture<Pid> whenRegistered(String name) {
    return host.directory().registered(Objects.requireNonNull(name, "name"));
  }

  /// Waits until a process has a name: so one that is being restarted is back. It may not have
  /// begun yet; messages wait for it. **Suspends** a coroutine and the body of a process, blocks a
  /// thread.
  ///
  /// @throws DeadlineException when no process has it in time
  /// @throws IllegalStateException in a step of a process, which it would hold
  public Pid awaitName(String name, Duration limit) throws InterruptedException {
    BoundedWaits.checkMayWait("awaitName");
    CompletableFuture<Pid> registered = whenRegistered(name);
    try {
      return registered.get(BoundedWaits.bounded(limit).toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("nothing fails it", e);
    } catch (TimeoutException _) {
      throw new DeadlineException("no process has had the name '" + name + "' within " + limit);
    } finally {
      registered.cancel(false); // does nothing when there is one
    }
  }

  /// Events of this runtime, and those of the program: dead letters, starts and ends.
  public EventBus events() {
    return host.events();
  }

  /// Completes when a process ends; at once when it has, or never was. Completing or cancelling it
  /// does nothing to the process. What depends on it runs on the worker of the last step, and must
  /// not block there; [#close] and [#shutdown] are refused. The `…Async` forms take an executor; a
  /// coroutine waits by [dev.heddle.Heddle#await(java.util.concurrent.CompletionStage)].
  public CompletableFuture<Exit> whenExited(Pid pid) {
    CompletableFuture<Exit> exit = new CompletableFuture<>();
    ProcessInstance live = host.directory().findProcess(pid);
    if (live == null) {
      exit.complete(ProcessDirectory.exitOfUnknown(pid));
    } else {
      Consumer<Exit> listener = exit::complete;
      live.processLinks().onExit(listener);
      var _ =
          exit.whenComplete((_, _) -> live.processLinks().offExit(listener)); // also when given up
    }
    return exit;
  }

  /// Waits for the end of a process. **Suspends** a coroutine and the body of a process, blocks a
  /// thread. Of a wait that is over, also by its limit or an interrupt, nothing stays behind: so it
  /// can be repeated for as long as the process lives. Each future of [#whenExited] is kept until
  /// the end or until it is cancelled.
  ///
  /// @param limit how long to wait
  /// @throws DeadlineException when the process has not ended in time
  /// @throws IllegalStateException in a step of a process, which it would hold
  public Exit awaitExit(Pid pid, Duration limit) throws InterruptedException {
    BoundedWaits.checkMayWait("awaitExit");
    CompletableFuture<Exit> exit = whenExited(pid);
    BoundedWaits.begin(Awaited.What.END, pid, limit, exit::isDone);
    try {
      return exit.get(BoundedWaits.bounded(limit).toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("nothing fails it", e);
    } catch (TimeoutException _) {
      throw new DeadlineException(pid + " has not ended within " + limit);
    } finally {
      ProcessFiber.endWait();
      exit.cancel(false); // takes its listener back; does nothing when there is an exit
    }
  }

  /// How many events lay in mailboxes of processes that ended.
  public long undelivered() {
    return host.undelivered();
  }

  /// Completes with true when a process has started: when its `init` has returned, or, if
  /// [Process#reportsReady()], when it has called [ProcessContext#ready()]; with false when the
  /// process has ended before that, or there is none. Completing or cancelling it does nothing to
  /// the process. What depends on it runs on a worker, as of [#whenExited].
  public CompletableFuture<Boolean> whenStarted(Pid pid) {
    CompletableFuture<Boolean> started = new CompletableFuture<>();
    ProcessInstance live = host.directory().findProcess(pid);
    if (live == null) {
      started.complete(false);
    } else {
      Consumer<Boolean> listener = yes -> started.complete(yes || live.hasStarted());
      live.onStarted(listener);
      var _ = started.whenComplete((_, _) -> live.offStarted(listener)); // also when given up
    }
    return started;
  }

  // ---- what it is like ----

  /// All processes, in the order of their starts. **Cost** a look at each.
  public List<ProcessSnapshot> processes() {
    return view.snapshots();
  }

  /// One process, with the stack of its step, or of its body when that waits; null when it has
  /// ended, or never was.
  ///
  /// @throws IllegalArgumentException when the address is not one of a process of this runtime
  public @Nullable ProcessSnapshot process(Pid pid) {
    return view.snapshot(pid);
  }

  /// What was counted.
  public ProcessCounters counters() {
    return view.counters();
  }

  /// The workers, and each process with what it does and waits for, and its stack if it is in a
  /// step, or has a body that waits; of those that are alike the first ones. **Cost** a look at
  /// each process, some microseconds at each body.
  public String dump() {
    return written().text();
  }

  RuntimeDump written() {
    return new RuntimeDump(name, uptime(), counters(), view.deadlocks(), view.withStacks());
  }

  Duration uptime() {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }

  private LongStepHandler watch() {
    return new LongStepHandler() {
      private QueueDelay told = QueueDelay.NONE;

      @Override
      public void longStep(Task task, Worker worker, long nanos, StackTraceElement[] stack) {
        view.longStep(task, worker, nanos, stack); // the workers start when there is a view
      }

      @Override
      public void secondPassed() {
        managed.join();
        view.checkForDeadlocks();
        if (ProcessJfrEvents.areRecorded()) {
          ProcessCounters now = counters();
          ProcessJfrEvents.runtime(name, now, now.queueDelay().since(told));
          told = now.queueDelay();
        }
      }
    };
  }

  // ---- the end ----

  /// Shuts down with the deadline that the builder was given, 10 s where it was given none.
  @Override
  public void close() {
    shutdown(shutdownDeadline);
  }

  /// Asks all processes to end, by [ProcessSignal.Cancel], and gives them three quarters of the
  /// time, at least all but a second, to do so: timers, I/O and messages work as before, only new
  /// processes are refused. Then it ends those that are left, before their next step. Always back
  /// by the deadline. A second call waits for the first.
  ///
  /// A process that was started linked, by one that traps exits, is left to that one for as long as
  /// it lives: so children of supervisors end in the order of these, and pools finish their calls.
  ///
  /// An interrupt ends the waiting: what is left is ended at once, as if the deadline had come, and
  /// the thread is still interrupted afterwards.
  ///
  /// @param deadline for all of it
  /// @return what became of the processes
  /// @throws IllegalStateException in a step of a process, which would wait for its own end
  public ShutdownReport shutdown(Duration deadline) {
    BoundedWaits.checkMayWait("shutdown");
    if (shuttingDown.compareAndSet(false, true)) {
      try {
        report.complete(end(BoundedWaits.bounded(deadline)));
      } catch (Throwable t) {
        report.completeExceptionally(t); // else a second caller would wait for ever
        throw t;
      }
    }
    return report.join();
  }

  /// Ends it, and takes it out of what lists runtimes: whoever has the report finds it in none.
  private ShutdownReport end(Duration deadline) {
    try {
      return new HostShutdown(host, scheduler, timers, loops).run(deadline);
    } finally {
      managed.leave();
    }
  }

  /// What each worker has done.
  public List<WorkerCounters> workers() {
    return scheduler.counters();
  }
}
