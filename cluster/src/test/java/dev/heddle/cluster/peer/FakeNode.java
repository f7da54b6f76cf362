// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.group.Groups;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.MessageTypes;
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
import dev.heddle.process.remote.RetryingExecutor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One of two nodes whose processes are only links and monitors. No thread: frames wait in a queue
/// until the test delivers them.
public final class FakeNode implements LocalProcesses {
  static final MessageTypes NO_TYPES = MessageTypes.of(List.of(), List.of());

  final NodeLife life;
  final List<FakeProcess> processes = new ArrayList<>();
  final Deque<Frame> outbox = new ArrayDeque<>();
  final List<Throwable> failures = new ArrayList<>(); // that would end the session
  final Map<Pid, FakeProcess> living = new HashMap<>();
  boolean isOpen = true;

  // of all mailboxes
  @Nullable MailboxPolicy nearlyFull;
  SendResult offered = SendResult.ACCEPTED;
  Consumer<Pid> offering = _ -> {}; // called before each message
  CompletableFuture<@Nullable Void> room = CompletableFuture.completedFuture(null);

  // of requests: those from the other node have one answer
  CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
  Runnable failing = () -> {}; // called before a request to the other node fails
  int failed;

  /// Makes no thread.
  public static final Executor NO_THREAD =
      _ -> {
        throw new OutOfMemoryError("no thread");
      };

  public Executor callbacks = Runnable::run;
  private final Deque<Runnable> retries = new ArrayDeque<>(); // of callbacks that had no thread
  private final RetryingExecutor retrying =
      new RetryingExecutor(
          task -> callbacks.execute(task),
          null,
          retry -> () -> retries.add(retry),
          System::nanoTime);

  // a process has ended before its start returns, and can still be found
  Consumer<FakeProcess> starting = made -> made.end(Exit.Reason.FAILED);

  final Groups groups = new Groups(this);
  final RemoteNode remote;

  public FakeNode(String name, String other, int size) {
    this.life = new NodeLife(name, "main", 7);
    for (int i = 1; i <= size; i++) {
      FakeProcess process = new FakeProcess(address(i));
      processes.add(process);
      living.put(process.self(), process);
    }
    this.remote =
        new RemoteNode(
            new NodeLife(other, "main", 7),
            this,
            new FrameSink() {
              @Override
              public SendResult send(Frame frame) {
                if (!isOpen) {
                  return SendResult.UNREACHABLE;
                }
                outbox.add(frame);
                return SendResult.ACCEPTED;
              }

              @Override
              public CompletableFuture<@Nullable Void> room() {
                return CompletableFuture.completedFuture(null);
              }

              @Override
              public void fail(Throwable why) {
                failures.add(why);
              }
            },
            NO_TYPES,
            new PeerOptions(
                Map.of("ended", Entry.of(() -> (_, _) -> {})),
                PeerOptions.ForeignOrders.CARRIED_OUT),
            groups,
            _ -> {});
  }

  public Groups groups() {
    return groups;
  }

  public NodePeer peer() {
    return remote;
  }

  public Pid pid(int index) {
    return processes.get(index).self();
  }

  public boolean isHere(Pid pid) {
    return pid.node().equals(life.node());
  }

  /// Tries again what had no thread, as the timers do.
  public void retry() {
    retries.remove().run();
  }

  /// Whether anything is to be tried again.
  boolean hasRetries() {
    return !retries.isEmpty();
  }

  /// Delivers the oldest frame to the other node.
  public boolean deliver(FakeNode to) {
    Frame frame = outbox.poll();
    if (frame != null) {
      to.remote.handle(List.of(frame));
    }
    return frame != null;
  }

  public void endSession() {
    isOpen = false;
    remote.ended();
  }

  void end(FakeProcess process, Exit.Reason reason) {
    process.end(reason);
    living.remove(process.self());
  }

  public void end(Pid pid, Exit.Reason reason) {
    end(processes.get((int) pid.id() - 1), reason);
  }

  @Override
  public Pid address(long number) {
    return new Pid(life.node(), life.host(), number, life.life());
  }

  @Override
  public ProcessLinks.@Nullable Owner find(Pid pid) {
    return living.get(pid);
  }

  // ---- not of links and monitors ----

  private static UnsupportedOperationException none() {
    return new UnsupportedOperationException("these processes are only links and monitors");
  }

  @Override
  public SendResult offer(Pid to, @Nullable Object message) {
    offering.accept(to);
    return living.containsKey(to) ? offered : SendResult.NOT_FOUND;
  }

  @Override
  public int offerAll(Pid to, @Nullable Object[] messages) {
    return offer(to, messages[0]) == SendResult.ACCEPTED ? messages.length : 0;
  }

  @Override
  public CompletableFuture<@Nullable Object> request(Pid to, @Nullable Object message) {
    return answer;
  }

  @Override
  public CompletableFuture<@Nullable Object> requestTyped(
      Pid to, Function<Reply<@Nullable Object>, @Nullable Object> message) {
    throw none();
  }

  @Override
  public @Nullable MailboxPolicy nearlyFull(Pid to) {
    return nearlyFull;
  }

  @Override
  public CompletableFuture<@Nullable Void> room(Pid to) {
    return room;
  }

  @Override
  public Reply<?> replyInMessage(Request request) {
    return request.reply();
  }

  @Override
  public void onClosed(Request request, Runnable action) {}

  @Override
  public boolean complete(Request request, @Nullable Object result) {
    throw none();
  }

  @Override
  public boolean fail(Request request, Throwable failure) {
    failing.run();
    failed++;
    return true;
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
  public Pid spawn(Process process, StartOptions options, NodePeer asker) {
    FakeProcess made = new FakeProcess(address(1_000));
    living.put(made.self(), made);
    starting.accept(made);
    if (options.isLinked()) {
      asker.link(made, Objects.requireNonNull(options.parent()));
    }
    return made.self();
  }

  @Override
  public boolean awaitRoom(Supplier<CompletableFuture<Void>> begin, Pid of) {
    return false;
  }

  @Override
  public <T> T await(String what, Supplier<CompletableFuture<T>> begin, Duration limit)
      throws InterruptedException, ExecutionException, TimeoutException {
    return begin.get().get(limit.toNanos(), TimeUnit.NANOSECONDS);
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
  public RetryingExecutor callbacks() {
    return retrying;
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> forCaller(CompletableFuture<T> future) {
    return future;
  }
}
