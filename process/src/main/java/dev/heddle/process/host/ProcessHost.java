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
import dev.heddle.process.body.BodyView;
import dev.heddle.process.dispatch.Dispatcher;
import dev.heddle.process.event.EventStream;
import dev.heddle.process.live.Failures;
import dev.heddle.process.live.LiveProcess;
import dev.heddle.process.live.Mortal;
import dev.heddle.process.live.ProcessEnvironment;
import dev.heddle.process.observe.FlightEvents;
import dev.heddle.process.relay.Receiver;
import dev.heddle.process.relay.Routes;
import dev.heddle.process.scheduler.WorkScheduler;
import dev.heddle.process.timer.Timers;
import dev.heddle.process.topology.Names;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The processes of one runtime, and what they share: sends to them, and hears of their ends. It
/// starts them by a [ProcessStarter], and finds them by a [Directory].
public final class ProcessHost implements ProcessEnvironment {
  private final HostParts parts;
  private final Dispatcher dispatcher;
  private final Directory directory;
  private final HostEvents events;
  private final Listeners listeners;
  private final Places places;
  private final Relations relations;
  private final Endings endings;
  private final ProcessStarter starter;

  // any thread
  private final LongAdder undelivered = new LongAdder();
  private final LongAdder tooLate = new LongAdder();

  /// A host without processes.
  public ProcessHost(HostParts parts, Dispatcher dispatcher, Timers timers) {
    this.parts = parts;
    this.dispatcher = dispatcher;
    this.directory = new Directory(this, parts.routes());
    this.events = new HostEvents(parts.runtime(), directory);
    this.listeners =
        new Listeners(
            parts.listeners(),
            (exit, t) -> Failures.log("a listener failed at the end of ", exit.pid(), "", t));
    this.places = new Places(parts.limit(), parts.scheduler().size());
    this.relations = new Relations(directory, parts.routes());
    this.endings = new Endings(directory, timers, parts.lifetime());
    this.starter = new ProcessStarter(this, parts, directory, places, endings, listeners, events);
    LiveProcess.rehearse(this, directory.nobody());
  }

  // ---- what it is made of ----

  /// Starts processes.
  public ProcessStarter starter() {
    return starter;
  }

  /// Finds processes.
  public Directory directory() {
    return directory;
  }

  /// Ways to end a process.
  public Endings endings() {
    return endings;
  }

  /// Links and monitors.
  Relations relations() {
    return relations;
  }

  /// What this host and programs publish.
  public EventStream events() {
    return events.stream();
  }

  ProcessRuntime runtime() {
    return parts.runtime();
  }

  /// A number that no address has had.
  public long newNumber() {
    return places.number(Places.worker(scheduler()));
  }

  // ---- sending ----

  /// Sends a message; where the receiver's policy says so, waits for room.
  public SendResult send(Pid to, @Nullable Object message) {
    LiveProcess found = directory.find(to);
    if (found == null) {
      return offer(to, message);
    }
    SendResult result = found.receiveOrWait(message);
    return result == SendResult.ACCEPTED ? result : refused(to, message, result);
  }

  /// Sends a message.
  public SendResult offer(Pid to, @Nullable Object message) {
    LiveProcess found = directory.find(to);
    SendResult result = found != null ? found.receive(message) : offerOther(to, message);
    return result == SendResult.ACCEPTED ? result : refused(to, message, result);
  }

  private SendResult offerOther(Pid to, @Nullable Object message) {
    Routes routes = parts.routes();
    if (!routes.isHere(to)) {
      return routes.elsewhere(to, message);
    }
    Receiver other = routes.attached(to);
    if (other != null) {
      return other.receive(message);
    }
    return isClosed() ? SendResult.CLOSED : SendResult.NOT_FOUND;
  }

  /// A message was not accepted.
  ///
  /// @return the result of the send
  public SendResult refused(Pid to, @Nullable Object message, SendResult result) {
    events.refused(to, null, message, result);
    return result;
  }

  /// A message was sent to a name that no process has.
  public SendResult refused(String name, @Nullable Object message) {
    SendResult result = isClosed() ? SendResult.CLOSED : SendResult.NOT_FOUND;
    events.refused(null, name, message, result);
    return result;
  }

  // ---- what its processes ask of it ----

  @Override
  public WorkScheduler scheduler() {
    return parts.scheduler();
  }

  @Override
  public Dispatcher dispatcher() {
    return dispatcher;
  }

  @Override
  public Names names() {
    return directory.names();
  }

  @Override
  public ProcessContext contextOf(Mortal process) {
    return new LiveContext((LiveProcess) process);
  }

  @Override
  public void monitor(Mortal watcher, Pid target, LongConsumer known) {
    var _ = relations.monitor(watcher, target, known);
  }

  @Override
  public Process create(String source) {
    return Sources.create(parts.factory(), source);
  }

  @Override
  public @Nullable BodyView bodyOf(Process process) {
    return parts.bodies().apply(process);
  }

  @Override
  public boolean isClosed() {
    return directory.isClosed();
  }

  @Override
  public void leftUnseen(Mortal in, @Nullable Object content, boolean isMessage) {
    undelivered.increment();
    if (isMessage) {
      events.left(in, content);
    }
    if (content instanceof Request request) {
      parts.unseen().accept(request);
    }
  }

  @Override
  public void displaced(Mortal to, ProcessEvent event, @Nullable Object by) {
    undelivered.increment();
    events.displaced(to, event.data(), by);
    if (event.data() instanceof Request request) {
      var _ = request.reply().failed(new SendFailedException(to.self(), SendResult.DROPPED));
    }
  }

  @Override
  public void tooLate() {
    tooLate.increment();
  }

  // ---- ends ----

  @Override
  public void settled() {
    places.giveBack(Places.worker(scheduler()));
  }

  @Override
  public void ended(Mortal process, Exit exit) {
    record(process, exit);
    listeners.ended(exit, process.isAnnounced());
    if (process.isAnnounced()) {
      events.ended(exit);
    }
    directory.remove((LiveProcess) process);
  }

  private static void record(Mortal process, Exit exit) {
    try {
      if (exit.isFailure() && FlightEvents.areRecorded()) {
        FlightEvents.abnormalEnd(process.kind(), exit);
      }
    } catch (Throwable _) {
      return; // safe: nobody waits for a record
    }
  }

  /// Refuses to start processes from now on.
  ///
  /// @return completes when none lives any more
  public CompletableFuture<@Nullable Void> close() {
    return directory.close();
  }

  /// Closes the mailboxes of coroutines.
  void closeMailboxes() {
    parts.routes().close();
  }

  /// No worker goes on any more: no process is started or sent to from now on, and all are told to
  /// have ended.
  public void giveUp(Throwable why) {
    directory.refuse();
    Failures.log("processes of ", parts.runtime(), " are given up: no worker goes on", why);
    for (LiveProcess process : directory.all()) {
      process.end(Exit.Reason.ABANDONED, why);
      var _ = process.abandon(false);
    }
  }

  // ---- what was counted ----

  /// Events that lay in mailboxes of processes that ended.
  public long undelivered() {
    return undelivered.sum();
  }

  /// Answers to commands that came when their process did not want them any more.
  public long late() {
    return tooLate.sum();
  }
}
