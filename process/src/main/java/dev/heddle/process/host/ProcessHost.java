// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.dispatch.Dispatcher;
import dev.heddle.process.event.EventBus;
import dev.heddle.process.fiber.FiberView;
import dev.heddle.process.instance.FailureLogger;
import dev.heddle.process.instance.ProcessEnvironment;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.instance.ProcessLifecycle;
import dev.heddle.process.links.NameRegistry;
import dev.heddle.process.observe.ProcessJfrEvents;
import dev.heddle.process.routing.Receiver;
import dev.heddle.process.routing.RoutingTable;
import dev.heddle.process.scheduler.WorkScheduler;
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
  private final ProcessDirectory processDirectory;
  private final HostEvents events;
  private final Listeners listeners;
  private final ProcessSlots slots;
  private final LinkOperations linkOperations;
  private final ProcessTermination processTermination;
  private final ProcessStarter starter;

  // any thread
  private final LongAdder undelivered = new LongAdder();
  private final LongAdder tooLate = new LongAdder();

  public ProcessHost(HostComponents parts, Dispatcher dispatcher, Timers timers) {
    this.parts = parts;
    this.dispatcher = dispatcher;
    this.processDirectory = new ProcessDirectory(this, parts.routes());
    this.events = new HostEvents(parts.runtime(), processDirectory);
    this.listeners =
        new Listeners(
            parts.listeners(),
            (exit, t) -> FailureLogger.log("a listener failed at the end of ", exit.pid(), "", t));
    this.slots = new ProcessSlots(parts.limit(), parts.scheduler().size());
    this.linkOperations = new LinkOperations(processDirectory, parts.routes());
    this.processTermination = new ProcessTermination(processDirectory, timers, parts.lifetime());
    this.starter =
        new ProcessStarter(
            this, parts, processDirectory, slots, processTermination, listeners, events);
    ProcessInstance.preload(this, processDirectory.nullPid());
  }

  // ---- its parts ----

  public ProcessStarter starter() {
    return starter;
  }

  public ProcessDirectory directory() {
    return processDirectory;
  }

  public ProcessTermination endings() {
    return processTermination;
  }

  LinkOperations relations() {
    return linkOperations;
  }

  /// The bus of what this host and programs publish.
  public EventBus events() {
    return events.stream();
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
  public SendResult send(Pid to, @Nullable Object message) {
    ProcessInstance found = processDirectory.find(to);
    if (found == null) {
      return offer(to, message);
    }
    SendResult result = found.receiveOrWait(message);
    return result == SendResult.ACCEPTED ? result : refused(to, message, result);
  }

  /// Sends a message.
  public SendResult offer(Pid to, @Nullable Object message) {
    ProcessInstance found = processDirectory.find(to);
    SendResult result = found != null ? found.receive(message) : offerOther(to, message);
    return result == SendResult.ACCEPTED ? result : refused(to, message, result);
  }

  private SendResult offerOther(Pid to, @Nullable Object message) {
    RoutingTable routingTable = parts.routes();
    if (!routingTable.isLocal(to)) {
      return routingTable.sendRemote(to, message);
    }
    Receiver other = routingTable.attached(to);
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
  public NameRegistry names() {
    return processDirectory.names();
  }

  @Override
  public ProcessContext contextOf(ProcessLifecycle process) {
    return new InstanceContext((ProcessInstance) process);
  }

  @Override
  public void monitor(ProcessLifecycle watcher, Pid target, LongConsumer known) {
    var _ = linkOperations.monitor(watcher, target, known);
  }

  @Override
  public Process create(String source) {
    return ProcessSources.create(parts.factory(), source);
  }

  @Override
  public @Nullable FiberView bodyOf(Process process) {
    return parts.bodies().apply(process);
  }

  @Override
  public boolean isClosed() {
    return processDirectory.isClosed();
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
    listeners.ended(exit, process.isAnnounced());
    if (process.isAnnounced()) {
      events.ended(exit);
    }
    processDirectory.remove((ProcessInstance) process);
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

  /// Refuses to start processes from now on.
  ///
  /// @return completes when no process is alive any more
  public CompletableFuture<@Nullable Void> close() {
    return processDirectory.close();
  }

  void closeMailboxes() {
    parts.routes().close();
  }

  /// Called when no worker runs any more: from now on no process is started or sent to, and the
  /// exits of all are announced.
  public void abandonAll(Throwable why) {
    processDirectory.refuse();
    FailureLogger.log(
        "processes of ", parts.runtime(), " are abandoned: no worker runs any more", why);
    for (ProcessInstance process : processDirectory.all()) {
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
