// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Ref;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import dev.heddle.process.Signal;
import dev.heddle.process.event.DeadLetter;
import dev.heddle.process.event.DeadLetter.Why;
import dev.heddle.process.event.EventStream;
import dev.heddle.process.event.ProcessEnded;
import dev.heddle.process.event.ProcessStarted;
import dev.heddle.process.live.Failures;
import dev.heddle.process.live.LiveProcess;
import dev.heddle.process.live.Mortal;
import dev.heddle.process.scheduler.Worker;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What a host publishes: dead letters, starts and ends. Makes none of them unless a process
/// subscribes to it. Any thread.
final class HostEvents implements EventStream.Delivery {
  private final ProcessRuntime runtime;
  private final Directory directory;
  private final EventStream stream = new EventStream(this);

  HostEvents(ProcessRuntime runtime, Directory directory) {
    this.runtime = runtime;
    this.directory = directory;
  }

  EventStream stream() {
    return stream;
  }

  // ---- what is published ----

  /// A message was not accepted.
  void refused(@Nullable Pid to, @Nullable String name, @Nullable Object message, SendResult why) {
    if (wantsLetterOf(message)) {
      publish(new DeadLetter(message, to, name, sender(), Why.of(why)));
    }
  }

  /// A message lay in a mailbox, and its process ends.
  void left(Mortal to, @Nullable Object content) {
    unread(to, content, Why.LEFT);
  }

  /// A message lay in a mailbox, and gave way to another. To a dead letter it does so in silence:
  /// one letter would else empty the mailbox of a subscriber, since each message that gives way
  /// would be the next letter for it.
  void displaced(Mortal to, @Nullable Object content, @Nullable Object by) {
    if (!DeadLetter.isCarriedBy(by)) {
      unread(to, content, Why.DISPLACED);
    }
  }

  private void unread(Mortal to, @Nullable Object content, Why why) {
    boolean isAnothers = content instanceof Request request && request.isHandedOn();
    if (!isAnothers && !(content instanceof Signal) && wantsLetterOf(content)) {
      publish(new DeadLetter(content, to.self(), null, null, why));
    }
  }

  void started(LiveProcess process) {
    if (wants(ProcessStarted.class)) {
      publish(new ProcessStarted(process.self(), process.options()));
    }
  }

  void ended(Exit exit) {
    if (wants(ProcessEnded.class)) {
      publish(new ProcessEnded(exit));
    }
  }

  private boolean wantsLetterOf(@Nullable Object message) {
    return !DeadLetter.isCarriedBy(message) && wants(DeadLetter.class);
  }

  private boolean wants(Class<?> event) {
    try {
      return stream.wants(event);
    } catch (Throwable _) {
      return false; // safe: as below
    }
  }

  /// Nobody waits for an event: a send or an end must not fail for it.
  private void publish(Object event) {
    try {
      stream.publish(event);
    } catch (Throwable t) {
      Failures.log("could not publish ", event.getClass(), "", t);
    }
  }

  /// The process whose step this is.
  private static @Nullable Pid sender() {
    Worker here = Mortal.here();
    return here != null && here.running() instanceof LiveProcess process ? process.self() : null;
  }

  // ---- how it is delivered ----

  @Override
  public SendResult offer(Pid to, Object event) {
    LiveProcess found = directory.find(to);
    return found == null ? SendResult.NOT_FOUND : found.receive(event);
  }

  @Override
  public SendResult offer(String name, Object event) {
    LiveProcess found = directory.named(name);
    return found == null ? SendResult.NOT_FOUND : found.receive(event);
  }

  @Override
  public void onExit(Pid process, Consumer<Exit> listener) {
    LiveProcess found = directory.findProcess(process);
    if (found == null) {
      listener.accept(Directory.gone(process));
    } else {
      found.ties().onExit(listener);
    }
  }

  @Override
  public void requireOurs(Ref<?> to) {
    to.requireOf(runtime, "a subscriber of events of this one");
  }

  @Override
  public void offExit(Pid process, Consumer<Exit> listener) {
    LiveProcess found = directory.find(process);
    if (found != null) {
      found.ties().offExit(listener);
    }
  }
}
