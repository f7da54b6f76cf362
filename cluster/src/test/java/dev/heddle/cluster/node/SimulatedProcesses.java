// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static dev.heddle.cluster.node.SimulatedNode.check;

import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.NoReplyException;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Reply;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.remote.LocalProcesses;
import dev.heddle.process.remote.NodePeer;
import dev.heddle.process.remote.ProcessOrder;
import dev.heddle.process.remote.RetryingExecutor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The processes of a simulated node, and the requests that they have sent to other nodes.
final class SimulatedProcesses implements LocalProcesses {
  private final NodeLife life;
  private final ProcessHistory history;
  final Map<Pid, SimulatedProcess> living = new LinkedHashMap<>();
  private final Reply<@Nullable Object> unused = UnusedReply.get();
  private final RetryingExecutor callbacks =
      new RetryingExecutor(Runnable::run, null, retry -> retry, System::nanoTime);
  private long last;

  SimulatedProcesses(NodeLife life, ProcessHistory history) {
    this.life = life;
    this.history = history;
  }

  SimulatedProcess start() {
    return start(null);
  }

  private SimulatedProcess start(@Nullable Pid parent) {
    SimulatedProcess process = new SimulatedProcess(address(++last), parent, this::end);
    living.put(process.self(), process);
    history.processes.put(process.self(), process);
    history.started.put(life, last);
    return process;
  }

  void end(SimulatedProcess process, Exit.Reason reason) {
    living.remove(process.self());
    process.end(reason);
  }

  /// The node has crashed: its processes have no exit that anybody hears of.
  void crash() {
    history.crashed.addAll(living.keySet());
  }

  @Override
  public Pid address(long number) {
    return new Pid(life.node(), life.host(), number, life.life());
  }

  @Override
  public @Nullable SimulatedProcess find(Pid pid) {
    return living.get(pid);
  }

  @Override
  public RetryingExecutor callbacks() {
    return callbacks;
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> forCaller(CompletableFuture<T> future) {
    return future;
  }

  // ---- messages and requests that come ----

  @Override
  public SendResult offer(Pid to, @Nullable Object message) {
    SimulatedProcess process = find(to);
    SendResult result =
        process == null
            ? SendResult.NOT_FOUND
            : process.put() ? SendResult.ACCEPTED : SendResult.FULL;
    if (process != null && result == SendResult.ACCEPTED) {
      history.delivered(process, (long) Objects.requireNonNull(message));
    }
    return result;
  }

  @Override
  public int offerAll(Pid to, @Nullable Object[] messages) {
    int accepted = 0;
    while (accepted < messages.length && offer(to, messages[accepted]) == SendResult.ACCEPTED) {
      accepted++;
    }
    return accepted;
  }

  @Override
  public CompletableFuture<@Nullable Object> request(Pid to, @Nullable Object message) {
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    SimulatedProcess process = find(to);
    if (process == null || !process.put()) {
      answer.completeExceptionally(
          new SendFailedException(to, process == null ? SendResult.NOT_FOUND : SendResult.FULL));
      return answer;
    }
    long number = (long) Objects.requireNonNull(message);
    check(
        process.requests.put(number, answer) == null,
        () -> "C1: request " + number + " came twice");
    var _ = answer.handle((_, _) -> process.requests.remove(number) != null);
    return answer;
  }

  @Override
  public @Nullable MailboxPolicy nearlyFull(Pid to) {
    SimulatedProcess process = find(to);
    return process != null && process.isNearlyFull() ? process.policy() : null;
  }

  @Override
  public CompletableFuture<@Nullable Void> room(Pid to) {
    SimulatedProcess process = find(to);
    return process == null ? CompletableFuture.completedFuture(null) : process.room();
  }

  // ---- requests that leave ----

  /// A request, whose number is its message.
  Request requestOf(long number) {
    return new Request(number, unused);
  }

  @Override
  public Reply<?> replyInMessage(Request request) {
    return request.reply();
  }

  @Override
  public void onClosed(Request request, Runnable action) {
    history.onClosed((long) Objects.requireNonNull(request.message()), action);
  }

  @Override
  public boolean complete(Request request, @Nullable Object result) {
    check(
        Objects.equals(request.message(), result),
        () -> "C5: %s was answered %s".formatted(request.message(), result));
    history.ended((long) Objects.requireNonNull(request.message()));
    return true;
  }

  @Override
  public boolean fail(Request request, Throwable failure) {
    long number = (long) Objects.requireNonNull(request.message());
    Pid to = history.ended(number);
    boolean isTrue =
        switch (failure) {
          case NoReplyException none ->
              none.exit().reason() == Exit.Reason.NO_CONNECTION || history.hasEnded(to);
          case SendFailedException unsent ->
              switch (unsent.result()) {
                case NOT_FOUND -> history.hasEnded(to);
                case FULL -> true;
                default -> false;
              };
          default -> false;
        };
    check(isTrue, () -> "C5: request %d to %s has failed: %s".formatted(number, to, failure));
    return true;
  }

  // ---- starts ----

  @Override
  public Pid spawn(Process process, StartOptions options) {
    throw none();
  }

  @Override
  public Pid spawn(Process process, StartOptions options, NodePeer asker) {
    Pid parent = Objects.requireNonNull(options.parent(), "only children are started so");
    SimulatedProcess child = start(parent);
    asker.link(child, parent);
    return child.self();
  }

  // ---- what these processes do not do ----

  private static UnsupportedOperationException none() {
    return new UnsupportedOperationException("simulated processes do not do that");
  }

  @Override
  public CompletableFuture<@Nullable Object> requestTyped(
      Pid to, Function<Reply<@Nullable Object>, @Nullable Object> message) {
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
  public boolean claimNodes() {
    return true;
  }

  @Override
  public void releaseNodes() {}

  @Override
  public void otherNodes(NodePeer peer) {}

  @Override
  public void addNode(String node, NodePeer peer) {
    throw none();
  }

  @Override
  public boolean removeNode(String node) {
    throw none();
  }

  @Override
  public boolean awaitRoom(Supplier<CompletableFuture<@Nullable Void>> begin, Pid of) {
    throw new UnsupportedOperationException("nothing waits in virtual time");
  }

  @Override
  public <T extends @Nullable Object> T await(
      String what, Supplier<CompletableFuture<T>> begin, Duration limit) {
    throw new UnsupportedOperationException("nothing waits in virtual time");
  }
}
