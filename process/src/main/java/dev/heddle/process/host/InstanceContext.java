// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.internal.StackGuard;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.ProcessStatistics;
import dev.heddle.process.Ref;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.TypedProcess;
import dev.heddle.process.dispatch.PendingCommand;
import dev.heddle.process.fiber.ProcessFiber;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.mailbox.MessageBurst;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The context of a process. Stateless: all instances for a process are equivalent.
final class InstanceContext implements ProcessContext {
  /*
   * A body that an upgrade has replaced, or that the process around it has closed, may swallow its
   * Cancellation and continue beside the code that now runs in the process. So each call that is
   * reserved for the code of the process checks whether the current thread is that of such a body;
   * calls that any thread may make do not.
   *
   * Rejected. A flag in the context: a process around a body shares its context with the body, and
   * continues after it has closed the body; and the field would cost 8 bytes for each process.
   */
  private final ProcessInstance instance;

  InstanceContext(ProcessInstance instance) {
    this.instance = instance;
  }

  private ProcessHost host() {
    return (ProcessHost) instance.host(); // it creates all contexts
  }

  /// The process, for a call reserved for its code.
  ///
  /// @throws IllegalStateException when the process continues without the body that calls
  private ProcessInstance own() {
    if (ProcessFiber.isDetached() && !instance.isEnding()) {
      throw new IllegalStateException(
          self()
              + " continues without this body: an upgrade has replaced it, or the process around it"
              + " has closed it. It has caught its Cancellation and not ended; let it end. Until"
              + " then it may use self(), send() and offer(), and start processes by runtime()");
    }
    return instance;
  }

  @Override
  public Pid self() {
    return instance.self();
  }

  @Override
  public @Nullable Pid parent() {
    return instance.options().parent();
  }

  @Override
  public ProcessRuntime runtime() {
    return host().runtime();
  }

  @Override
  public boolean isEnded() {
    return instance.isEnded();
  }

  @Override
  public void wakeUp() {
    instance.wakeUp();
  }

  @Override
  public void ready() {
    own().ready();
  }

  @Override
  public ProcessStatistics statistics() {
    return own().statistics();
  }

  @Override
  public void send(Pid to, @Nullable Object message) {
    if (MessageBurst.takes(to, message)) {
      return;
    }
    SendResult result = host().send(to, message);
    if (result != SendResult.ACCEPTED) {
      throw new SendFailedException(to, result);
    }
  }

  @Override
  public SendResult offer(Pid to, @Nullable Object message) {
    return host().offer(to, message);
  }

  @Override
  public void send(String name, @Nullable Object message) {
    ProcessInstance to = host().directory().named(name);
    if (to == null) {
      runtime().send(name, message); // throws, unless a process has the name by now
    } else {
      send(to.self(), message);
    }
  }

  @Override
  public SendResult offer(String name, @Nullable Object message) {
    ProcessInstance to = host().directory().named(name);
    return to == null ? host().refused(name, message) : offer(to.self(), message);
  }

  @Override
  public <M> Ref<M> spawn(TypedProcess<M> child) {
    return spawn(child, StartOptions.defaults());
  }

  @Override
  public <M> Ref<M> spawn(TypedProcess<M> child, StartOptions how) {
    return host().starter().spawnTyped(child, how, own());
  }

  @Override
  public Pid spawn(Process child) {
    return spawn(child, StartOptions.defaults());
  }

  @Override
  public Pid spawn(Process child, StartOptions how) {
    return host().starter().spawn(child, how, own());
  }

  @Override
  public boolean cancelCommand(long tag) {
    PendingCommand<?> invocation = own().invocation(tag);
    return invocation != null && invocation.cancel("the process has cancelled it");
  }

  @Override
  public int pendingCommands() {
    return own().pendingCommands();
  }

  @Override
  public void link(Pid other) {
    host().directory().link(own(), other);
  }

  @Override
  public void unlink(Pid other) {
    host().directory().unlink(own(), other);
  }

  @Override
  public List<Pid> links() {
    StackGuard.requireAmpleRoom(); // a stack overflow would leave a lock locked
    return own().links();
  }

  @Override
  public List<Pid> monitored() {
    StackGuard.requireAmpleRoom(); // the same
    return own().monitored();
  }

  @Override
  public void requestExit(Pid other, Object detail) {
    host().endings().requestExit(other, new ProcessSignal.ExitRequest(instance.self(), detail));
  }

  @Override
  public void trapExits() {
    own().trapExits(true);
  }

  @Override
  public void untrapExits() {
    own().trapExits(false);
  }

  @Override
  public void trapUndelivered() {
    own().trapUndelivered(true);
  }

  @Override
  public void untrapUndelivered() {
    own().trapUndelivered(false);
  }

  @Override
  public long monitor(Pid other) {
    return host().directory().monitor(own(), other, _ -> {});
  }

  @Override
  public long monitor(String name) {
    ProcessInstance found = host().directory().named(name);
    Pid to = found == null ? host().directory().nullPid() : found.self();
    return host().directory().monitor(own(), to, _ -> {});
  }

  @Override
  public @Nullable Exit exit() {
    return instance.isEnding() ? instance.ending() : null;
  }

  @Override
  public boolean demonitor(long monitor) {
    StackGuard.requireAmpleRoom(); // the same
    return ProcessLinks.demonitor(own(), monitor);
  }

  @Override
  public Pid register(String name) {
    StackGuard.requireAmpleRoom(); // the same
    return host().directory().register(name, own());
  }

  @Override
  public boolean unregister(String name) {
    StackGuard.requireAmpleRoom(); // the same
    return own().processLinks().names().contains(name) && host().names().unregister(name);
  }

  @Override
  public @Nullable Object attribute(String key) {
    return own().attribute(key);
  }

  @Override
  public void setAttribute(String key, Object value) {
    own().setAttribute(key, value);
  }
}
