// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.DeadlineException;
import dev.heddle.Registration;
import dev.heddle.process.dispatch.CommandLoop;
import dev.heddle.process.dispatch.Dispatcher;
import dev.heddle.process.event.EventBus;
import dev.heddle.process.fiber.Awaited;
import dev.heddle.process.fiber.ProcessFiber;
import dev.heddle.process.host.BeforeShutdown;
import dev.heddle.process.host.HostComponents;
import dev.heddle.process.host.HostInspector;
import dev.heddle.process.host.HostShutdown;
import dev.heddle.process.host.ProcessHost;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.observe.ProcessJfrEvents;
import dev.heddle.process.observe.RuntimeRegistration;
import dev.heddle.process.remote.RetryingExecutor;
import dev.heddle.process.remote.RuntimeAccess;
import dev.heddle.process.routing.RoutingTable;
import dev.heddle.process.scheduler.LongStepHandler;
import dev.heddle.process.scheduler.Task;
import dev.heddle.process.scheduler.WorkScheduler;
import dev.heddle.process.scheduler.WorkerPool;
import dev.heddle.process.timer.Timers;
import dev.heddle.process.timer.WaitTimeout;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Runs processes on all cores.
///
/// Its threads are daemon threads: a program ends with its last other thread, whatever its
/// processes are doing. So `main` waits for the work, as by
/// `Heddle.await(runtime.whenExited(pid))`, and then calls [#close], best by `try`, which ends the
/// remaining processes in order. A server waits for a process that never ends.
///
/// **Thread** any. Methods that wait ([#ask], [#shutdown]) suspend a coroutine of a loop and block
/// a thread. In a step of a process they throw, since they would hold its worker.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=runtime}
///
/// @since 0.1
public final class ProcessRuntime implements AutoCloseable {
  static {
    RuntimeAccess.set(
        of -> new LocalAccess(of.host, of.routes, of.requests, of.timers, of.callbacks));
  }

  private final WorkerPool workers;
  private final RoutingTable routes;
  private final ProcessHost host;
  private final HostInspector inspector;
  private final RuntimeRegistration managed;
  final RuntimeBean bean;
  private final CommandLoop loops;
  private final Timers timers;
  final RequestSender requests; // also for references
  private final Duration shutdownDeadline;
  private final BeforeShutdown beforeShutdown;
  private final RetryingExecutor callbacks;
  private final AtomicBoolean shuttingDown = new AtomicBoolean();
  private final CompletableFuture<ShutdownReport> report = new CompletableFuture<>();

  ProcessRuntime(ProcessRuntimeBuilder how, RuntimeParts parts) {
    // initialised here: at the end of a stack it would fail, and then the class is lost for good
    Objects.requireNonNull(StartOptions.defaults());
    this.workers =
        parts.workers(how.host, how.workers, watch(), BoundedWaits.bounded(how.longStep));
    WorkScheduler scheduler = workers.scheduler();
    this.loops = parts.loops(how.loopOptions());
    this.timers = parts.timers("heddle-timers-" + how.host);
    this.requests = new RequestSender(this::host);
    this.shutdownDeadline = how.shutdownDeadline;
    this.beforeShutdown = new BeforeShutdown(parts.beforeShutdown(), timers);
    this.callbacks = parts.callbacks(timers);
    this.routes =
        new RoutingTable(
            how.node,
            how.host,
            how.incarnation == ProcessRuntimeBuilder.RANDOM
                ? parts.incarnation()
                : how.incarnation);
    how.nodes.forEach(routes::addNode);
    this.host =
        new ProcessHost(
            new HostComponents(
                this,
                scheduler,
                routes,
                how.maxProcesses,
                how.factory,
                how.listeners,
                CoroutineProcess::fiberOf,
                request -> request.reply().unreceived(),
                new StepOutput.Access(),
                how.childLifetime),
            new Dispatcher(how.registry, loops, timers, requests),
            timers);
    HostShutdown.prepare();
    scheduler.onFailure(host::abandonAll);
    scheduler.yieldToTimersWhile(timers::isLate);
    this.inspector =
        new HostInspector(
            host,
            workers,
            how.longSteps,
            timers::nanoTime,
            BoundedWaits.bounded(how.deadlockAfter),
            parts.deadlocks(how.deadlocks));
    this.bean = new RuntimeBean(how.host, inspector);
    this.managed = new RuntimeRegistration(bean, bean::takeDump, bean::feed, bean::record);
    parts.join(
        new RuntimeView(
            bean, managed, inspector::snapshots, report::isDone, inspector::checkForDeadlocks));
    ProcessFiber.prepare();
    parts.beginFlight(bean::updateFlight);
    timers.start();
    workers.start();
  }

  /// Starts a runtime with one worker for each processor; in a simulation with one worker.
  public static ProcessRuntime start() {
    return builder().start();
  }

  /// Configures a runtime.
  public static ProcessRuntimeBuilder builder() {
    return new ProcessRuntimeBuilder();
  }

  private ProcessHost host() {
    return host;
  }

  // ---- processes ----

  /// Starts a process.
  ///
  /// @throws StartRefusedException when the maximum of processes is reached, or the runtime shuts
  ///   down
  public Pid spawn(Process process) {
    return spawn(process, StartOptions.defaults());
  }

  /// Starts a process; when another process has its name already, returns the PID of that one.
  ///
  /// @throws UnknownEntryPointException when the process has no such entry point
  /// @throws StartRefusedException when the maximum of processes is reached, the runtime shuts
  ///   down, or an option cannot be met
  public Pid spawn(Process process, StartOptions options) {
    return host.starter().spawn(process, options, null);
  }

  /// Starts a typed process. Otherwise like [#spawn(Process)].
  ///
  /// @return a reference to it, which accepts only messages of its protocol
  public <M> Ref<M> spawn(TypedProcess<M> process) {
    return spawn(process, StartOptions.defaults());
  }

  /// Starts a typed process. Otherwise like [#spawn(Process, StartOptions)].
  ///
  /// @return a reference to it, or to the process that has its name, which accepts only messages of
  ///   its protocol
  /// @throws StartRefusedException also when the process that has its name does not accept messages
  ///   of that protocol
  public <M> Ref<M> spawn(TypedProcess<M> process, StartOptions options) {
    return host.starter().spawnTyped(process, options, null);
  }

  /// A typed reference to one process. It is not checked that the process accepts such messages:
  /// what it does with an unknown message depends on its class.
  public <M> Ref<M> ref(Pid pid, Class<M> protocol) {
    return new Ref<>(this, pid, null, protocol);
  }

  /// A typed reference to the process that has a name at each use, so it survives restarts. It is
  /// not checked that the process accepts such messages.
  public <M> Ref<M> ref(String name, Class<M> protocol) {
    return new Ref<>(this, null, name, protocol);
  }

  /// Sends a message. **Suspends** a coroutine or the body of a [CoroutineProcess] while the
  /// mailbox is full and its policy is [MailboxPolicy#SUSPEND], or while the connection to its node
  /// has no space; no other caller.
  ///
  /// @throws SendFailedException when it was not accepted
  /// @throws NotSendableException when it cannot be encoded for another node
  public void send(Pid to, @Nullable Object message) {
    SendResult result = host.send(to, message);
    if (result != SendResult.ACCEPTED) {
      throw new SendFailedException(to, result);
    }
  }

  /// Sends a message to the process that has a name at this moment. Otherwise like [#send(Pid,
  /// Object)].
  ///
  /// @throws SendFailedException when no process has the name, or it was not accepted
  public void send(String name, @Nullable Object message) {
    send(requests.find(name, message), message);
  }

  /// Sends a message and returns what became of it. **Suspends** never.
  public SendResult offer(Pid to, @Nullable Object message) {
    return host.offer(to, message);
  }

  /// Sends a message to the process that has a name at this moment, and returns what became of it:
  /// [SendResult#NOT_FOUND] when no process has the name. **Suspends** never.
  public SendResult offer(String name, @Nullable Object message) {
    ProcessInstance to = host.directory().named(name);
    return to == null ? host.refused(name, message) : host.offer(to.self(), message);
  }

  /// Asks the process that has a name at this moment. Otherwise like [#ask(Pid, Object, Duration)].
  ///
  /// @param <R> the type of the reply, as the two processes have agreed
  @SuppressWarnings("TypeParameterUnusedInFormals") // the asker knows the type of the reply
  public <R extends @Nullable Object> R ask(String name, @Nullable Object message, Duration limit)
      throws InterruptedException {
    return ask(requests.find(name, message), message, limit);
  }

  /// Sends a message as a [Request] and waits for the reply.
  ///
  /// @param <R> the type of the reply, as the two processes have agreed
  /// @param limit how long to wait
  /// @throws SendFailedException when it was not accepted
  /// @throws NotSendableException when it cannot be encoded for another node
  /// @throws DeadlineException when no reply came in time
  /// @throws AskFailedException when the process has ended without a reply, or has replied with a
  ///   failure
  /// @throws IllegalStateException in a step of a process, which it would hold
  @SuppressWarnings({"unchecked", "NullAway", "TypeParameterUnusedInFormals"}) // both have agreed
  public <R extends @Nullable Object> R ask(Pid to, @Nullable Object message, Duration limit)
      throws InterruptedException {
    BoundedWaits.checkMayWait("ask");
    Reply<@Nullable Object> reply = Reply.untyped(new CompletableFuture<>());
    requests.send(to, message, reply);
    return (R) BoundedWaits.await(timers, to, reply, limit);
  }

  <R extends @Nullable Object> R ask(Pid to, Function<Reply<R>, ?> message, Duration limit)
      throws InterruptedException {
    BoundedWaits.checkMayWait("ask");
    Reply<R> reply = Reply.inMessage(new CompletableFuture<>());
    requests.send(to, message, reply);
    return BoundedWaits.await(timers, to, reply, limit);
  }

  /// Sends a message as a [Request]. The future is the reply; completing or cancelling it gives up
  /// the wait. Dependent stages run on the thread that replies, usually a worker, and must not
  /// block there; the `…Async` forms take an executor. For a process of another node they run on a
  /// virtual thread of their own, where they may block, and in no order with those of other
  /// futures.
  @SuppressWarnings("unchecked") // the two have agreed on the type of the reply
  public <R extends @Nullable Object> CompletableFuture<R> request(
      Pid to, @Nullable Object message) {
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    requests.send(to, message, answer);
    return (CompletableFuture<R>) forCaller(to, answer);
  }

  /// Forwards a request to another process. Like [#request] with its message, but that process sees
  /// when the first asker gives up: its [Reply#isOpen] returns false, and that call cancels the
  /// future. The reply completes the future only; the process that forwards may inspect it, and
  /// then replies itself. When the other process ends without having received the request, the
  /// future fails with a [SendFailedException] whose cause tells of the exit. Dependent stages run
  /// as those of [#request].
  public CompletableFuture<@Nullable Object> forward(Pid to, Request request) {
    request.reply().delegate();
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    requests.send(to, request.message(), Reply.forwarded(answer, request.reply()));
    return forCaller(to, answer);
  }

  /// A future for the program, whose stages may wait when a thread of a cluster completes it.
  <T extends @Nullable Object> CompletableFuture<T> forCaller(Pid of, CompletableFuture<T> future) {
    return routes.isLocal(of) ? future : CallerFutures.of(future, callbacks);
  }

  // ---- other runtimes, and coroutines ----

  /// This runtime as a peer of others: it accepts messages for its own processes and mailboxes, and
  /// refuses all others as [SendResult#UNREACHABLE].
  public Peer asPeer() {
    return (to, message) -> {
      if (!routes.isLocal(to)) {
        return SendResult.UNREACHABLE;
      }
      return message instanceof Request request
          ? requests.deliver(to, request)
          : host.offer(to, message);
    };
  }

  /// Adds the peer that leads to another node.
  ///
  /// @throws IllegalArgumentException when that node is this one, or has a peer
  public void connect(String node, Peer peer) {
    routes.addNode(node, peer);
  }

  /// Removes the peer of another node. Later messages to it are [SendResult#UNREACHABLE].
  ///
  /// @return false when there is none
  public boolean disconnect(String node) {
    return routes.removeNode(node);
  }

  /// Adds the peer that leads to another host of this node.
  ///
  /// @throws IllegalArgumentException when that host is this one, or has a peer
  public void connectHost(String other, Peer peer) {
    routes.addHost(other, peer);
  }

  /// Removes the peer of another host of this node.
  ///
  /// @return false when there is none
  public boolean disconnectHost(String other) {
    return routes.removeHost(other);
  }

  /// Opens a mailbox for a coroutine, with a PID of its own. The shutdown closes it.
  ///
  /// @param capacity how many messages may wait in it, at least 1
  /// @throws IllegalStateException when the runtime has shut down
  public CoroutineMailbox mailbox(int capacity) {
    return new CoroutineMailbox(routes, host.newNumber(), capacity);
  }

  /// Asks a process to end, by [ProcessSignal.Cancel], and terminates it when it has not ended by
  /// the deadline. A process that does not trap exits ends before its next step, with
  /// [Exit.Reason#SHUTDOWN], so a supervisor does not restart a TRANSIENT child for that.
  ///
  /// @param reason a description
  /// @param within how long it has to end
  /// @throws SendFailedException when there is no such process
  public void cancel(Pid pid, String reason, Duration within) {
    host.endings().cancel(pid, reason, BoundedWaits.bounded(within));
  }

  /// Asks a process to end, with a reason in the program's own terms. Otherwise like
  /// [ProcessContext#requestExit], but the signal names no sender.
  ///
  /// @throws SendFailedException when there is no such process
  public void requestExit(Pid pid, Object detail) {
    host.endings().requestExit(pid, new ProcessSignal.ExitRequest(null, detail));
  }

  /// The time limit for the waits of a body.
  ///
  /// @param wake called when the time is over
  WaitTimeout waitLimit(Runnable wake) {
    return new WaitTimeout(timers, wake);
  }

  /// The clock of the waits of this runtime, in nanoseconds from an arbitrary origin.
  long nanoTime() {
    return timers.nanoTime();
  }

  /// How many timers there are, including disarmed ones that are still to be removed.
  int timers() {
    return timers.size();
  }

  /// Ends a process before its next step, without asking it as [#cancel] does.
  ///
  /// @throws SendFailedException when there is no such process
  public void terminate(Pid pid) {
    host.endings().terminate(pid, "process terminated");
  }

  /// The process that has a name, or null.
  public @Nullable Pid whereIs(String name) {
    ProcessInstance owner = host.directory().named(name);
    return owner == null ? null : owner.self();
  }

  /// Completes with the PID of the process that has a name: at once, or when a process takes the
  /// name. Cancelling it gives up the wait. Dependent stages run on the thread that registers the
  /// name, and must not block there.
  public CompletableFuture<Pid> whenRegistered(String name) {
    return host.directory().registered(Objects.requireNonNull(name, "name"));
  }

  /// Waits until a process has a name, as after a restart. The process may not have begun yet;
  /// messages wait for it. **Suspends** a coroutine and the body of a process, blocks a thread.
  ///
  /// @throws DeadlineException when no process has it in time
  /// @throws IllegalStateException in a step of a process, which it would hold
  public Pid awaitRegistered(String name, Duration limit) throws InterruptedException {
    BoundedWaits.checkMayWait("awaitRegistered");
    return BoundedWaits.await(
        timers, whenRegistered(name), limit, "no process has had the name '" + name + "'");
  }

  /// Events of this runtime and of the program: dead letters, starts and ends.
  public EventBus events() {
    return host.events();
  }

  /// Completes when a process ends; at once when it has ended or never existed. A process of
  /// another node counts as ended, with [Exit.Reason#NO_CONNECTION], when the connection to it is
  /// lost. Completing or cancelling it does not affect the process. Dependent stages run on the
  /// worker of the last step, and must not block there; [#close] and [#shutdown] throw there. The
  /// `…Async` forms take an executor; a coroutine waits by
  /// [dev.heddle.Heddle#await(java.util.concurrent.CompletionStage)]. For a process of another node
  /// they run on a virtual thread of their own, and may block.
  ///
  /// @throws IllegalArgumentException when it is not the address of a process, or belongs to
  ///   another runtime without a connection of a cluster; so do all methods that take the PID of a
  ///   process
  public CompletableFuture<Exit> whenExited(Pid pid) {
    return forCaller(pid, host.directory().whenExited(pid));
  }

  /// Waits for the end of a process. **Suspends** a coroutine and the body of a process, blocks a
  /// thread. A wait that ends early, by its limit or an interrupt, leaves nothing behind, so it can
  /// be repeated. A future of [#whenExited], in contrast, is kept until the process ends or the
  /// future is cancelled.
  ///
  /// @param limit how long to wait
  /// @throws DeadlineException when the process has not ended in time
  /// @throws IllegalStateException in a step of a process, which it would hold
  public Exit awaitExit(Pid pid, Duration limit) throws InterruptedException {
    BoundedWaits.checkMayWait("awaitExit");
    CompletableFuture<Exit> exit = host.directory().whenExited(pid);
    BoundedWaits.begin(Awaited.What.END, pid, limit, exit::isDone);
    try {
      return BoundedWaits.await(timers, exit, limit, pid + " has not ended");
    } finally {
      ProcessFiber.endWait();
    }
  }

  /// How many events were left in the mailboxes of processes that ended.
  public long undelivered() {
    return host.undelivered();
  }

  /// Completes with true when a process has started: when its `init` has returned or, if
  /// [Process#reportsReady()], it has called [ProcessContext#ready()]. Completes with false when
  /// the process ended before that, or does not exist. Completing or cancelling it does not affect
  /// the process. Dependent stages run as those of [#whenExited].
  public CompletableFuture<Boolean> whenStarted(Pid pid) {
    return forCaller(pid, host.directory().whenStarted(pid));
  }

  // ---- inspection ----

  /// All processes, ordered by their numbers. **Cost** a read of each.
  public List<ProcessSnapshot> processes() {
    return inspector.snapshots();
  }

  /// One process, with the stack of its step, or of its body while that waits; null when it has
  /// ended or never existed.
  ///
  /// @throws IllegalArgumentException when the address is not that of a process of this runtime
  public @Nullable ProcessSnapshot process(Pid pid) {
    return inspector.snapshot(pid);
  }

  /// The counters of the runtime.
  public ProcessCounters counters() {
    return inspector.counters();
  }

  /// The runtime as management tools see it, without a server of MBeans. Its getters read what the
  /// workers have counted, and never wait for them.
  ///
  /// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=mxBean}
  ///
  /// @since 0.1
  public ProcessRuntimeMXBean mxBean() {
    return bean;
  }

  /// A text that lists the workers and the processes: what each process does and waits for, and the
  /// stack of its step or of its waiting body. Of processes that are alike it shows the first ones.
  /// **Cost** a read of each process, some microseconds for each body.
  public String dump() {
    return bean.dump();
  }

  private LongStepHandler watch() {
    return new LongStepHandler() {
      private QueueDelay reported = QueueDelay.NONE;

      @Override
      public void longStep(Task task, Thread worker, long nanos, StackTraceElement[] stack) {
        // safe: the workers start after `inspector` is set
        inspector.longStep(task, worker, nanos, stack);
      }

      @Override
      public void secondPassed() {
        managed.join();
        inspector.checkForDeadlocks();
        inspector.writeFailures();
        bean.updateFlight();
        if (ProcessJfrEvents.areRecorded()) {
          ProcessCounters now = counters();
          ProcessJfrEvents.runtime(bean.getName(), now, now.queueDelay().since(reported));
          reported = now.queueDelay();
        }
      }
    };
  }

  // ---- the end ----

  /// Closes something when this runtime shuts down, while its processes still run and new ones can
  /// be started: what must leave in order, as a connection to other nodes. The shutdown closes what
  /// was added last first. It waits for all of it for at most half of its deadline, then interrupts
  /// its thread and continues; the rest of the deadline is for the processes. A failure is logged,
  /// and changes nothing else.
  ///
  /// **Thread** `close` is called on a thread of its own, which may wait. It must not shut this
  /// runtime down, which would wait for itself.
  ///
  /// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=beforeShutdown}
  ///
  /// @param action is closed once
  /// @return removes it; does nothing once the shutdown has begun
  /// @throws IllegalStateException when the shutdown has begun
  public Registration beforeShutdown(AutoCloseable action) {
    return beforeShutdown.add(action);
  }

  /// Shuts down with the deadline of the builder, 10 s by default.
  @Override
  public void close() {
    shutdown(shutdownDeadline);
  }

  /// Closes what [#beforeShutdown] was given. Then asks all processes to end, by
  /// [ProcessSignal.Cancel], and gives them three quarters of the time, or all of it but a second
  /// when that is more. Timers, I/O and messages keep working; only new processes are refused. Then
  /// it terminates the remaining processes before their next step. It returns by the deadline in
  /// any case. A second call waits for the first.
  ///
  /// A process that was started linked, by a parent that traps exits, is left to that parent while
  /// the parent is alive. So supervisors end their children in their own order, and pools finish
  /// their calls.
  ///
  /// An interrupt ends the wait: the remaining processes are ended at once, as at the deadline, and
  /// the thread stays interrupted.
  ///
  /// @param deadline the time for everything
  /// @return what became of the processes
  /// @throws IllegalStateException in a step of a process, and in what [#beforeShutdown] closes:
  ///   they would wait for their own end
  public ShutdownReport shutdown(Duration deadline) {
    BoundedWaits.checkMayWait("shutdown");
    if (beforeShutdown.isRunHere()) {
      throw new IllegalStateException(
          "what is closed before the shutdown cannot shut the runtime down: that has begun, and"
              + " waits for it; only return");
    }
    if (shuttingDown.compareAndSet(false, true)) {
      try {
        report.complete(end(BoundedWaits.bounded(deadline)));
      } catch (Throwable t) {
        report.completeExceptionally(t); // else a second caller would wait forever
        throw t;
      }
    }
    return report.join();
  }

  /// Ends the runtime and removes it from the lists of runtimes, before its report is visible.
  private ShutdownReport end(Duration deadline) {
    try {
      long begin = timers.nanoTime();
      beforeShutdown.run(Duration.ofNanos(deadline.toNanos() / 2), bean.getName());
      Duration rest = deadline.minusNanos(timers.nanoTime() - begin);
      return new HostShutdown(host, workers, timers, loops).run(BoundedWaits.bounded(rest));
    } finally {
      managed.leave();
      callbacks.close();
    }
  }

  /// The counters of each worker.
  public List<WorkerCounters> workers() {
    return workers.counters();
  }
}
