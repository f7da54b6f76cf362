// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.host.ProcessHost;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.mailbox.RoomWait;
import dev.heddle.process.mailbox.SenderQueue;
import dev.heddle.process.remote.LocalProcesses;
import dev.heddle.process.remote.NodePeer;
import dev.heddle.process.remote.ProcessOrder;
import dev.heddle.process.remote.RetryingExecutor;
import dev.heddle.process.routing.RoutingTable;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The processes of a runtime, for its connections to other nodes. Stateless.
///
/// @param host has the processes
/// @param routes has the addresses and the peers
/// @param requests sends requests
/// @param timers for waits for space
/// @param callbacks runs code of the program
record LocalAccess(
    ProcessHost host,
    RoutingTable routes,
    RequestSender requests,
    Timers timers,
    RetryingExecutor callbacks)
    implements LocalProcesses {

  @Override
  public Pid address(long number) {
    return routes.address(number);
  }

  @Override
  public ProcessLinks.@Nullable Owner find(Pid pid) {
    return host.directory().find(pid);
  }

  // ---- messages ----

  @Override
  public SendResult offer(Pid to, @Nullable Object message) {
    return routes.isLocal(to) ? host.offer(to, message) : SendResult.UNREACHABLE;
  }

  @Override
  public int offerAll(Pid to, @Nullable Object[] messages) {
    return routes.isLocal(to) ? host.offerAll(to, messages) : 0;
  }

  @Override
  public CompletableFuture<@Nullable Object> request(Pid to, @Nullable Object message) {
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    if (isReachable(to, answer)) {
      requests.send(to, message, answer);
    }
    return answer;
  }

  @Override
  public CompletableFuture<@Nullable Object> requestTyped(
      Pid to, Function<Reply<@Nullable Object>, @Nullable Object> message) {
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    if (isReachable(to, answer)) {
      Reply<@Nullable Object> reply = Reply.inMessage(answer);
      requests.send(to, message.apply(reply), reply);
    }
    return answer;
  }

  private boolean isReachable(Pid to, CompletableFuture<@Nullable Object> answer) {
    return routes.isLocal(to)
        || !answer.completeExceptionally(new SendFailedException(to, SendResult.UNREACHABLE));
  }

  @Override
  public @Nullable MailboxPolicy nearlyFull(Pid to) {
    ProcessInstance live = host.directory().find(to);
    return live != null && live.isNearlyFull() ? live.options().policy() : null;
  }

  @Override
  public CompletableFuture<@Nullable Void> room(Pid to) {
    ProcessInstance live = host.directory().find(to);
    return live == null
        ? CompletableFuture.completedFuture(null)
        : new RoomWait(timers, () -> live.isHalfEmpty() || live.isEnded()).begin();
  }

  // ---- replies ----

  @Override
  public Reply<?> replyInMessage(Request request) {
    return request.reply().ofAnswerer();
  }

  @Override
  public void onClosed(Request request, Runnable action) {
    request.reply().onClosed(action);
  }

  @Override
  public boolean complete(Request request, @Nullable Object result) {
    return request.reply().ofAnswerer().complete(result);
  }

  @Override
  public boolean fail(Request request, Throwable failure) {
    boolean isReply =
        !(failure instanceof SendFailedException || failure instanceof NoReplyException);
    return (isReply ? request.reply().ofAnswerer() : request.reply()).fail(failure);
  }

  // ---- refused messages ----

  @Override
  public @Nullable Pid senderToNotify() {
    ProcessInstance sender = host.currentProcess();
    return sender != null && sender.trapsUndelivered() ? sender.self() : null;
  }

  @Override
  public void undelivered(Pid sender, ProcessSignal.Undelivered signal) {
    ProcessInstance live = host.directory().find(sender);
    if (live != null) {
      live.undelivered(signal);
    }
  }

  // ---- life ----

  @Override
  public CompletableFuture<Boolean> whenStarted(Pid pid) {
    return find(pid) == null
        ? CompletableFuture.completedFuture(false)
        : host.directory().whenStartedHere(pid);
  }

  @Override
  public void order(Pid target, ProcessOrder order) {
    ProcessInstance live = host.directory().find(target);
    if (live == null || live.isEnded()) {
      return;
    }
    switch (order) {
      case ProcessOrder.Terminate(String reason) -> live.terminate(reason);
      case ProcessOrder.Cancel cancel ->
          host.endings().cancel(live, cancel.reason(), BoundedWaits.bounded(cancel.time()));
      case ProcessOrder.RequestExit(Pid from, Object detail) ->
          live.requestExit(new ProcessSignal.ExitRequest(from, detail));
    }
  }

  @Override
  public Pid spawn(Process process, StartOptions options) {
    return host.starter().spawn(process, options, null);
  }

  @Override
  public Pid spawn(Process process, StartOptions options, NodePeer asker) {
    return host.starter().spawnFor(asker, process, options);
  }

  // ---- waits ----

  @Override
  public <T extends @Nullable Object> T await(
      String what, Supplier<CompletableFuture<T>> begin, Duration limit)
      throws InterruptedException, ExecutionException, TimeoutException {
    BoundedWaits.checkMayWait(what);
    return timers.await(begin.get(), BoundedWaits.bounded(limit).toNanos());
  }

  @Override
  public boolean awaitRoom(Supplier<CompletableFuture<@Nullable Void>> begin, Pid of) {
    if (!SenderQueue.mayWait()) {
      return false;
    }
    var _ = SenderQueue.await(begin.get(), of);
    return true;
  }

  // ---- code of the program ----

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> forCaller(CompletableFuture<T> future) {
    return CallerFutures.of(future, callbacks);
  }

  // ---- nodes ----

  @Override
  public boolean claimNodes() {
    return routes.claimNodes();
  }

  @Override
  public void releaseNodes() {
    routes.releaseNodes();
  }

  @Override
  public void otherNodes(NodePeer peer) {
    routes.otherNodes(peer);
  }

  @Override
  public void addNode(String node, NodePeer peer) {
    routes.addNode(node, peer);
  }

  @Override
  public boolean removeNode(String node) {
    return routes.removeNode(node);
  }
}
