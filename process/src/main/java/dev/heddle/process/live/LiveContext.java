// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.dispatch.Invocation;
import dev.heddle.process.topology.Ties;
import dev.heddle.scheduler.StackReserve;
import org.jspecify.annotations.Nullable;

/// What the code of a process may do. Has no state: two of the same process do the same.
final class LiveContext implements ProcessContext {
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
  public void wakeUp() {
    live.wakeUp();
  }

  @Override
  public void send(Pid to, @Nullable Object message) {
    if (MessageBurst.takes(to, message)) {
      return;
    }
    LiveProcess found = live.host.find(to);
    SendResult result =
        found == null
            ? live.host.elsewhere(to, message)
            : found == live // who waits for room in its own mailbox makes none
                ? live.receive(message)
                : found.receiveOrWait(message);
    if (result != SendResult.ACCEPTED) {
      throw new SendFailedException(to, result);
    }
  }

  @Override
  public SendResult offer(Pid to, @Nullable Object message) {
    return live.host.offer(to, message);
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
    live.host.link(live, other);
  }

  @Override
  public void unlink(Pid other) {
    StackReserve.requireAmple(); // a lock that is cut off stays locked
    LiveProcess found = live.host.find(other);
    if (found != null) {
      Ties.unlink(live, found);
    }
  }

  @Override
  public void trapExits(boolean trap) {
    live.trapExits(trap);
  }

  @Override
  public long monitor(Pid other) {
    return live.host.monitor(live, other, _ -> {});
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
