// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Reply;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.remote.LocalProcesses;
import dev.heddle.process.remote.NodePeer;
import dev.heddle.process.remote.ProcessOrder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The processes of a simulated node: they monitor, are members of groups, and end.
final class SimulatedProcesses implements LocalProcesses {
  /// One process.
  static final class Simulated implements ProcessLinks.Owner {
    private final Pid self;
    private final ProcessLinks links = new ProcessLinks(null);
    final Map<Long, Exit> downs = new HashMap<>(); // by the reference of the monitor
    final Map<Long, Pid> monitors = new HashMap<>();
    @Nullable Exit exit;

    Simulated(Pid self) {
      this.self = self;
    }

    @Override
    public ProcessLinks processLinks() {
      return links;
    }

    @Override
    public Pid self() {
      return self;
    }

    @Override
    public boolean decideLinkExit(Exit how) {
      return true;
    }

    @Override
    public void applyLinkExit(ProcessLinks.Link link, Exit how, boolean bySignal) {
      throw new AssertionError("no links here: " + how);
    }

    @Override
    public void monitorFired(long monitor, Exit how) {
      SimulatedNode.check(
          links.consumeMonitor(monitor) && downs.put(monitor, how) == null,
          "C4: %s was told twice of monitor %d: %s".formatted(self, monitor, how));
    }
  }

  private final NodeLife life;
  final Map<Pid, Simulated> living = new HashMap<>();
  private long last;

  SimulatedProcesses(NodeLife life) {
    this.life = life;
  }

  Simulated start() {
    Simulated process = new Simulated(address(++last));
    living.put(process.self(), process);
    return process;
  }

  void end(Simulated process) {
    living.remove(process.self());
    Exit exit = new Exit(process.self(), Exit.Reason.NORMAL, null, null);
    process.exit = exit;
    process.links.exited(process, exit, (_, _) -> {});
  }

  @Override
  public Pid address(long number) {
    return new Pid(life.node(), life.host(), number, life.life());
  }

  @Override
  public ProcessLinks.@Nullable Owner find(Pid pid) {
    return living.get(pid);
  }

  // ---- what these processes do not do ----

  private static UnsupportedOperationException none() {
    return new UnsupportedOperationException("these processes have monitors and groups only");
  }

  @Override
  public SendResult offer(Pid to, @Nullable Object message) {
    throw none();
  }

  @Override
  public CompletableFuture<@Nullable Object> request(Pid to, @Nullable Object message) {
    throw none();
  }

  @Override
  public CompletableFuture<@Nullable Object> requestTyped(
      Pid to, Function<Reply<@Nullable Object>, @Nullable Object> message) {
    throw none();
  }

  @Override
  public @Nullable MailboxPolicy nearlyFull(Pid to) {
    throw none();
  }

  @Override
  public CompletableFuture<@Nullable Void> room(Pid to) {
    throw none();
  }

  @Override
  public Reply<?> replyInMessage(Request request) {
    throw none();
  }

  @Override
  public void onClosed(Request request, Runnable action) {
    throw none();
  }

  @Override
  public boolean complete(Request request, @Nullable Object result) {
    throw none();
  }

  @Override
  public boolean fail(Request request, Throwable failure) {
    throw none();
  }

  @Override
  public @Nullable Pid senderToNotify() {
    return null;
  }

  @Override
  public void undelivered(Pid sender, ProcessSignal.Undelivered signal) {
    throw none();
  }

  @Override
  public CompletableFuture<Boolean> whenStarted(Pid pid) {
    throw none();
  }

  @Override
  public void order(Pid target, ProcessOrder order) {
    throw none();
  }

  @Override
  public Pid spawn(Process process, StartOptions options) {
    throw none();
  }

  @Override
  public boolean claimNodes() {
    return true;
  }

  @Override
  public void releaseNodes() {}

  @Override
  public void addNode(String node, NodePeer peer) {
    throw none();
  }

  @Override
  public boolean removeNode(String node) {
    throw none();
  }

  @Override
  public <T extends @Nullable Object> T await(
      String what, Supplier<CompletableFuture<T>> begin, Duration limit) {
    throw new UnsupportedOperationException("nothing waits in virtual time");
  }

  @Override
  public Executor callbacks() {
    return Runnable::run;
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> forCaller(CompletableFuture<T> future) {
    return future;
  }
}
