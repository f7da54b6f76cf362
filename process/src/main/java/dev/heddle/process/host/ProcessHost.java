// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Exit;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessFactory;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.dispatch.Dispatcher;
import dev.heddle.process.event.EventBus;
import dev.heddle.process.fiber.FiberView;
import dev.heddle.process.instance.FailureLogger;
import dev.heddle.process.instance.ProcessEnvironment;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.instance.ProcessLifecycle;
import dev.heddle.process.instance.StepOutputAccess;
import dev.heddle.process.links.NameRegistry;
import dev.heddle.process.mailbox.SenderQueue;
import dev.heddle.process.observe.ProcessJfrEvents;
import dev.heddle.process.remote.NodePeer;
import dev.heddle.process.routing.Receiver;
import dev.heddle.process.routing.RoutingTable;
import dev.heddle.process.scheduler.WorkScheduler;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.process.timer.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The processes of one runtime and what they share: it sends to them and handles their ends. A
/// [ProcessStarter] starts them, a [ProcessDirectory] finds them.
public final class ProcessHost implements ProcessEnvironment {
  private final HostComponents parts;
  private final Dispatcher dispatcher;
  private final ProcessDirectory directory;
  private final ProcessFailures failures = new ProcessFailures();
  private final HostEvents events;
  private final Listeners listeners;
  private final ProcessSlots slots;
  private final ProcessTermination termination;
  private final ProcessStarter starter;

  // any thread
  private final LongAdder undelivered = new LongAdder();
  private final LongAdder tooLate = new LongAdder();

  public ProcessHost(HostComponents parts, Dispatcher dispatcher, Timers timers) {
    this.parts = parts;
    this.dispatcher = dispatcher;
    this.directory = new ProcessDirectory(this, parts.routes());
    this.events = new HostEvents(parts.runtime(), directory);
    this.listeners =
        new Listeners(
            parts.listeners(),
            (exit, t) -> FailureLogger.log("a listener failed at the end of ", exit.pid(), "", t));
    this.slots = new ProcessSlots(parts.limit(), parts.scheduler().size());
    this.termination = new ProcessTermination(directory, timers, parts.lifetime());
    this.starter =
        new ProcessStarter(this, parts, directory, slots, termination, listeners, events);
    ProcessInstance.preload(this, directory.nullPid());
  }

  // ---- its parts ----

  public ProcessStarter starter() {
    return starter;
  }

  public ProcessDirectory directory() {
    return directory;
  }

  public ProcessTermination endings() {
    return termination;
  }

  /// The bus of what this host and programs publish.
  public EventBus events() {
    return events.stream();
  }

  /// The process of this host whose code is running on the current thread, or null.
  public @Nullable ProcessInstance currentProcess() {
    Worker here = ProcessLifecycle.here();
    return here != null
            && here.running() instanceof ProcessInstance process
            && process.host() == this
        ? process
        : null;
  }

  ProcessRuntime runtime() {
    return parts.runtime();
  }

  /// A number that no address has used.
  public long newNumber() {
    return slots.number(ProcessSlots.worker(scheduler()));
  }

  // ---- sending ----

  /// Sends a message; waits for space where the receiver's policy allows it.
  ///
  /// @throws NotSendableException when it cannot be encoded for another node
  public SendResult send(Pid to, @Nullable Object message) {
    ProcessInstance found = directory.find(to);
    SendResult result =
        found != null ? found.receiveOrWait(message) : sendElsewhereOrWait(to, message);
    return result == SendResult.ACCEPTED ? result : refused(to, message, result);
  }

  public SendResult offer(Pid to, @Nullable Object message) {
    ProcessInstance found = directory.find(to);
    SendResult result = found != null ? found.receive(message) : offerOther(to, message);
    return result == SendResult.ACCEPTED ? result : refused(to, message, result);
  }

  /// Puts the first of several messages into the mailbox of a process of this host.
  ///
  /// @return how many; [#offer] of the next says why not more, unless there is space by then
  public int offerAll(Pid to, @Nullable Object[] messages) {
    ProcessInstance found = directory.find(to);
    return found == null ? 0 : found.receiveAll(messages);
  }

  private SendResult offerOther(Pid to, @Nullable Object message) {
    try {
      return sendElsewhere(to, message);
    } catch (NotSendableException _) {
      return SendResult.NOT_SENDABLE;
    }
  }

  /// Sends a request to an address that is not that of a process of this host.
  ///
  /// @throws NotSendableException when it cannot be encoded for another node
  public SendResult requestElsewhere(Pid to, Request request) {
    SendResult result = sendElsewhereOrRecord(to, request);
    return result == SendResult.ACCEPTED ? result : refused(to, request, result);
  }

  /// Waits for space as a sender to a local process does: while the connection to the node, or the
  /// mailbox there, has none.
  private SendResult sendElsewhereOrWait(Pid to, @Nullable Object message) {
    while (true) {
      SendResult result = sendElsewhereOrRecord(to, message);
      NodePeer node = result == SendResult.FULL ? parts.routes().nodePeerOf(to) : null;
      CompletableFuture<@Nullable Void> room =
          node == null || !SenderQueue.mayWait() ? null : node.room(to);
      if (room == null) {
        return result;
      }
      var _ = SenderQueue.await(room, to);
    }
  }

  private SendResult sendElsewhereOrRecord(Pid to, @Nullable Object message) {
    try {
      return sendElsewhere(to, message);
    } catch (NotSendableException e) {
      var _ = refused(to, message, SendResult.NOT_SENDABLE);
      throw e;
    }
  }

  private SendResult sendElsewhere(Pid to, @Nullable Object message) {
    RoutingTable routes = parts.routes();
    if (!routes.isLocal(to)) {
      return routes.sendRemote(to, message);
    }
    Receiver other = routes.attached(to);
    if (other != null) {
      return other.receive(message);
    }
    return isClosed() ? SendResult.CLOSED : SendResult.NOT_FOUND;
  }

  /// Records that a message was not accepted.
  ///
  /// @return `result`
  public SendResult refused(Pid to, @Nullable Object message, SendResult result) {
    events.refused(to, null, message, result);
    return result;
  }

  /// Records that a message was sent to a name that no process has.
  public SendResult refused(String name, @Nullable Object message) {
    SendResult result = isClosed() ? SendResult.CLOSED : SendResult.NOT_FOUND;
    events.refused(null, name, message, result);
    return result;
  }

  // ---- services for its processes ----

  @Override
  public WorkScheduler scheduler() {
    return parts.scheduler();
  }

  @Override
  public Dispatcher dispatcher() {
    return dispatcher;
  }

  @Override
  public StepOutputAccess outputs() {
    return parts.outputs();
  }

  @Override
  public NameRegistry names() {
    return directory.names();
  }

  @Override
  public ProcessContext contextOf(ProcessLifecycle process) {
    return new InstanceContext((ProcessInstance) process);
  }

  @Override
  public void monitor(ProcessLifecycle watcher, Pid target, LongConsumer known) {
    var _ = directory.monitor(watcher, target, known);
  }

  @Override
  public Process create(String source) {
    ProcessFactory factory = parts.factory();
    if (factory == null) {
      throw new StartRefusedException(
          "upgrade: no factory; give the builder one with factory(...)", null);
    }
    if (source.isEmpty()) {
      throw new StartRefusedException("upgrade: no source; name what the factory is to make", null);
    }
    Process made;
    try {
      made = factory.create(source);
    } catch (Exception e) {
      throw new StartRefusedException("upgrade: create failed: " + e.getMessage(), e);
    }
    if (made == null) {
      throw new StartRefusedException(
          "upgrade: the factory has returned null for '%s'; let it make a process, or throw what"
                  .formatted(source)
              + " says why not",
          null);
    }
    return made;
  }

  @Override
  public @Nullable FiberView bodyOf(Process process) {
    return parts.bodies().apply(process);
  }

  @Override
  public boolean isClosed() {
    return directory.isClosed();
  }

  @Override
  public void recordUndelivered(ProcessLifecycle in, @Nullable Object content, boolean isMessage) {
    undelivered.increment();
    if (isMessage) {
      events.left(in, content);
    }
    if (content instanceof Request request) {
      parts.unseen().accept(request);
    }
  }

  @Override
  public void displaced(ProcessLifecycle to, ProcessEvent event, @Nullable Object by) {
    undelivered.increment();
    events.displaced(to, event.data(), by);
    if (event.data() instanceof Request request) {
      var _ = request.reply().fail(new SendFailedException(to.self(), SendResult.DROPPED));
    }
  }

  @Override
  public void onLateResult() {
    tooLate.increment();
  }

  // ---- ends ----

  @Override
  public void releaseSlot() {
    slots.release(ProcessSlots.worker(scheduler()));
  }

  @Override
  public void ended(ProcessLifecycle process, Exit exit) {
    record(process, exit);
    note((ProcessInstance) process, exit);
    listeners.ended(exit, process.isAnnounced());
    if (process.isAnnounced()) {
      events.ended(exit);
    }
    directory.remove((ProcessInstance) process);
  }

  private static void record(ProcessLifecycle process, Exit exit) {
    try {
      if (exit.isFailure() && ProcessJfrEvents.areRecorded()) {
        ProcessJfrEvents.abnormalEnd(process.kind(), exit);
      }
    } catch (Throwable _) {
      return; // safe: the recording lacks one event
    }
  }

  private void note(ProcessInstance process, Exit exit) {
    try {
      if (exit.isFailure()) {
        Pid parent = process.options().parent();
        ProcessInstance found = parent == null ? null : directory.findProcess(parent);
        failures.ended(process, exit, found == null || found.isEnded() ? null : found);
      }
    } catch (Throwable _) {
      return; // safe: observers lack one failure
    }
  }

  /// The last failures that no process deals with.
  ProcessFailures failures() {
    return failures;
  }

  /// Refuses to start processes from now on.
  ///
  /// @return completes when no process is alive any more
  public CompletableFuture<@Nullable Void> close() {
    return directory.close();
  }

  void closeMailboxes() {
    parts.routes().close();
  }

  /// Called when no worker runs any more: from now on no process is started or sent to, and the
  /// exits of all are announced.
  public void abandonAll(Throwable why) {
    directory.refuse();
    FailureLogger.log(
        "processes of ", parts.runtime(), " are abandoned: no worker runs any more", why);
    for (ProcessInstance process : directory.all()) {
      process.end(Exit.Reason.ABANDONED, why);
      process.abandon();
    }
  }

  // ---- counters ----

  /// Events left in the mailboxes of processes that ended.
  public long undelivered() {
    return undelivered.sum();
  }

  /// Command results that came when the process no longer waited for them.
  public long late() {
    return tooLate.sum();
  }
}
