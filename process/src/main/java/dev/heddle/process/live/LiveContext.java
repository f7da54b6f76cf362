// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessStatistics;
import dev.heddle.process.Ref;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.Signal;
import dev.heddle.process.StartOptions;
import dev.heddle.process.TypedProcess;
import dev.heddle.process.body.Inbox;
import dev.heddle.process.dispatch.Invocation;
import dev.heddle.process.topology.Ties;
import dev.heddle.scheduler.StackReserve;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the code of a process may do. Has no state: two of the same process do the same.
final class LiveContext implements ProcessContext, Inbox.Source {
  private final LiveProcess live;

  LiveContext(LiveProcess live) {
    this.live = live;
  }

  @Override
  public Pid self() {
    return live.self();
  }

  @Override
  public @Nullable Pid parent() {
    return live.options().parent();
  }

  @Override
  public ProcessRuntime runtime() {
    return live.host.runtime();
  }

  @Override
  public boolean isEnded() {
    return live.isEnded();
  }

  @Override
  public Inbox inboxOf(Process process) {
    return live.inboxOf(process);
  }

  @Override
  public void wakeUp() {
    live.wakeUp();
  }

  @Override
  public void ready() {
    live.ready();
  }

  @Override
  public ProcessStatistics statistics() {
    return live.statistics();
  }

  @Override
  public void send(Pid to, @Nullable Object message) {
    if (MessageBurst.takes(to, message)) {
      return;
    }
    SendResult result = live.host.send(to, message);
    if (result != SendResult.ACCEPTED) {
      throw new SendFailedException(to, result);
    }
  }

  @Override
  public SendResult offer(Pid to, @Nullable Object message) {
    return live.host.offer(to, message);
  }

  @Override
  public void send(String name, @Nullable Object message) {
    LiveProcess to = live.host.named(name);
    if (to == null) {
      throw runtime().nobodyHas(name, message);
    }
    send(to.self(), message);
  }

  @Override
  public SendResult offer(String name, @Nullable Object message) {
    LiveProcess to = live.host.named(name);
    return to == null ? live.host.refused(name, message) : offer(to.self(), message);
  }

  @Override
  public <M> Ref<M> spawn(TypedProcess<M> child) {
    return spawn(child, StartOptions.DEFAULT);
  }

  @Override
  public <M> Ref<M> spawn(TypedProcess<M> child, StartOptions how) {
    return live.host.spawnTyped(child, how, live);
  }

  @Override
  public Pid spawn(Process child) {
    return spawn(child, StartOptions.DEFAULT);
  }

  @Override
  public Pid spawn(Process child, StartOptions how) {
    return live.host.spawn(child, how, live);
  }

  @Override
  public boolean cancelCommand(long tag) {
    Invocation<?> invocation = live.invocation(tag);
    return invocation != null && invocation.cancel("the process has cancelled it");
  }

  @Override
  public int outstanding() {
    return live.outstanding();
  }

  @Override
  public void link(Pid other) {
    live.host.relations().link(live, other);
  }

  @Override
  public void unlink(Pid other) {
    live.host.relations().unlink(live, other);
  }

  @Override
  public List<Pid> links() {
    StackReserve.requireAmple(); // a lock that is cut off stays locked
    return live.links();
  }

  @Override
  public List<Pid> monitored() {
    StackReserve.requireAmple(); // the same
    return live.monitored();
  }

  @Override
  public void requestExit(Pid other, Object detail) {
    live.host.endings().requestExit(other, new Signal.ExitRequest(live.self(), detail));
  }

  @Override
  public void trapExits(boolean trap) {
    live.trapExits(trap);
  }

  @Override
  public long monitor(Pid other) {
    return live.host.relations().monitor(live, other, _ -> {});
  }

  @Override
  public long monitor(String name) {
    LiveProcess found = live.host.named(name);
    Pid to = found == null ? live.host.nobody() : found.self();
    return live.host.relations().monitor(live, to, _ -> {});
  }

  @Override
  public @Nullable Exit exit() {
    return live.isEnding() ? live.ending() : null;
  }

  @Override
  public boolean demonitor(long monitor) {
    StackReserve.requireAmple(); // the same
    return Ties.demonitor(live, monitor);
  }

  @Override
  public Pid register(String name) {
    StackReserve.requireAmple(); // the same
    return live.host.register(name, live);
  }

  @Override
  public boolean unregister(String name) {
    StackReserve.requireAmple(); // the same
    return live.ties().names().contains(name) && live.host.names().unregister(name);
  }

  @Override
  public @Nullable Object attribute(String key) {
    return live.attribute(key);
  }

  @Override
  public void setAttribute(String key, Object value) {
    live.setAttribute(key, value);
  }
}
