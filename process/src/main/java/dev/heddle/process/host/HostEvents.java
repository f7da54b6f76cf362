// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Ref;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import dev.heddle.process.event.DeadLetter;
import dev.heddle.process.event.DeadLetter.Reason;
import dev.heddle.process.event.EventBus;
import dev.heddle.process.event.ProcessExited;
import dev.heddle.process.event.ProcessStarted;
import dev.heddle.process.instance.FailureLogger;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.instance.ProcessLifecycle;
import dev.heddle.process.scheduler.Worker;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Publishes dead letters, starts and ends. Creates them only when a process subscribes. Any
/// thread.
final class HostEvents implements EventBus.Delivery {
  private final ProcessRuntime runtime;
  private final ProcessDirectory directory;
  private final EventBus stream = new EventBus(this);

  HostEvents(ProcessRuntime runtime, ProcessDirectory directory) {
    this.runtime = runtime;
    this.directory = directory;
  }

  EventBus stream() {
    return stream;
  }

  void refused(@Nullable Pid to, @Nullable String name, @Nullable Object message, SendResult why) {
    if (hasDeadLetterSubscribers(message)) {
      publish(new DeadLetter(message, to, name, sender(), Reason.of(why)));
    }
  }

  /// A message was left in a mailbox at the end of its process.
  void left(ProcessLifecycle to, @Nullable Object content) {
    publishUnread(to, content, Reason.RECEIVER_ENDED);
  }

  /// A message in a mailbox was dropped for a later one. When the later one is a dead letter,
  /// nothing is published: otherwise one letter would empty the mailbox of a subscriber, since each
  /// dropped message would become the next letter for it.
  void displaced(ProcessLifecycle to, @Nullable Object content, @Nullable Object by) {
    if (!DeadLetter.isCarriedBy(by)) {
      publishUnread(to, content, Reason.DISPLACED);
    }
  }

  private void publishUnread(ProcessLifecycle to, @Nullable Object content, Reason reason) {
    boolean isForwarded = content instanceof Request request && request.isForwarded();
    if (!isForwarded && !(content instanceof ProcessSignal) && hasDeadLetterSubscribers(content)) {
      publish(new DeadLetter(content, to.self(), null, null, reason));
    }
  }

  void started(ProcessInstance process) {
    if (hasSubscribers(ProcessStarted.class)) {
      publish(new ProcessStarted(process.self(), process.options()));
    }
  }

  void ended(Exit exit) {
    if (hasSubscribers(ProcessExited.class)) {
      publish(new ProcessExited(exit));
    }
  }

  private boolean hasDeadLetterSubscribers(@Nullable Object message) {
    return !DeadLetter.isCarriedBy(message) && hasSubscribers(DeadLetter.class);
  }

  private boolean hasSubscribers(Class<?> event) {
    try {
      return stream.hasSubscribers(event);
    } catch (Throwable _) {
      return false; // safe: as below
    }
  }

  /// Never throws: a send or an end must not fail for an event.
  private void publish(Object event) {
    try {
      stream.publish(event);
    } catch (Throwable t) {
      FailureLogger.log("could not publish ", event.getClass(), "", t);
    }
  }

  /// The process whose step is running.
  private static @Nullable Pid sender() {
    Worker here = ProcessLifecycle.here();
    return here != null && here.running() instanceof ProcessInstance process
        ? process.self()
        : null;
  }

  @Override
  public SendResult offer(Pid to, Object event) {
    ProcessInstance found = directory.find(to);
    return found == null ? SendResult.NOT_FOUND : found.receive(event);
  }

  @Override
  public SendResult offer(String name, Object event) {
    ProcessInstance found = directory.named(name);
    return found == null ? SendResult.NOT_FOUND : found.receive(event);
  }

  @Override
  public void onExit(Pid process, Consumer<Exit> listener) {
    ProcessInstance found = directory.findProcess(process);
    if (found == null) {
      listener.accept(ProcessDirectory.exitOfUnknown(process));
    } else {
      found.processLinks().onExit(listener);
    }
  }

  @Override
  public void checkRuntime(Ref<?> to) {
    NamedRefs.checkRuntime(to, runtime, "a subscriber of events of this one");
  }

  @Override
  public void offExit(Pid process, Consumer<Exit> listener) {
    ProcessInstance found = directory.find(process);
    if (found != null) {
      found.processLinks().offExit(listener);
    }
  }
}
