// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.remote;

import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessListener;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Reply;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.links.ProcessLinks;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What the connection to another node asks of a runtime on behalf of that node.
///
/// Any thread; no method waits, but code of the program that [#spawn] calls may. Futures are
/// completed on workers or on the timer thread, so their dependent stages must not block.
public interface LocalProcesses {
  /// Those of a runtime.
  static LocalProcesses of(ProcessRuntime runtime) {
    return RuntimeAccess.localProcesses(runtime);
  }

  /// The address of a process here with this number: the node, host and incarnation of the runtime.
  Pid address(long number);

  /// The process at an address, to link and to monitor it; null when there is none of this
  /// incarnation, or it is gone.
  ProcessLinks.@Nullable Owner find(Pid pid);

  // ---- messages ----

  /// Puts a message into a mailbox. An address of another node or host is `UNREACHABLE`: a message
  /// from a node is for this one.
  SendResult offer(Pid to, @Nullable Object message);

  /// Puts the first of several messages into a mailbox, in their order, and wakes its process once.
  ///
  /// @return how many. The others were not sent, and nothing was recorded of them: [#offer] of the
  ///   next says why, unless there is space by then.
  int offerAll(Pid to, @Nullable Object[] messages);

  /// Sends a request.
  ///
  /// @return completes with the reply; fails with a [dev.heddle.process.SendFailedException] when
  ///   the request is not accepted, with a [dev.heddle.process.NoReplyException] when the process
  ///   ends without a reply, with what the process replies otherwise; to cancel it gives up
  CompletableFuture<@Nullable Object> request(Pid to, @Nullable Object message);

  /// Sends a request whose message contains its [Reply], as [Request#isTyped] says.
  ///
  /// @param message makes the message that contains a given reply
  /// @return as of [#request]
  CompletableFuture<@Nullable Object> requestTyped(
      Pid to, Function<Reply<@Nullable Object>, @Nullable Object> message);

  /// The policy of a mailbox that is filled to three quarters or more, and that refuses messages
  /// when it is full; null for any other.
  @Nullable MailboxPolicy nearlyFull(Pid to);

  /// Completes when a mailbox is filled to half or less; also when its process has ended, or is
  /// none.
  CompletableFuture<@Nullable Void> room(Pid to);

  // ---- replies ----

  /// The reply that the message of a typed request contains: that of the first asker, when the
  /// request was forwarded. The reply of the request, when that is not typed.
  Reply<?> replyInMessage(Request request);

  /// Calls an action once, when a request that was sent to another node needs no reply any more: it
  /// has one, has failed, or the asker has given up. At once, if that is so already.
  void onClosed(Request request, Runnable action);

  /// Replies to a request that was sent to another node, also to a forwarded one.
  ///
  /// @return false when it needs no reply any more
  boolean complete(Request request, @Nullable Object result);

  /// Fails a request that was sent to another node, also a forwarded one.
  ///
  /// @param failure a [dev.heddle.process.SendFailedException] and a
  ///   [dev.heddle.process.NoReplyException] say that there is no reply: the process that has
  ///   forwarded the request learns it, and its asker waits on; any other is the reply
  /// @return false when it needs no reply any more
  boolean fail(Request request, Throwable failure);

  // ---- refused messages ----

  /// The process whose code is running on this thread, when it wants to be told of messages that
  /// another node has refused; null otherwise.
  @Nullable Pid senderToNotify();

  /// Tells a process that messages were refused, if it still wants that.
  void undelivered(Pid sender, ProcessSignal.Undelivered signal);

  // ---- life ----

  /// Completes with true when a process has started, with false when it ends before or is none.
  CompletableFuture<Boolean> whenStarted(Pid pid);

  /// Carries out an order; ignores one to a process that has ended.
  void order(Pid target, ProcessOrder order);

  /// Starts a process. Its parent may be of a node with a [NodePeer]: if the options say so, the
  /// process is linked to it, and ends with it.
  ///
  /// @throws dev.heddle.process.StartRefusedException when it cannot be started; the options must
  ///   not ask for a monitor by a parent of another node, which monitors by itself
  Pid spawn(Process process, StartOptions options);

  /// Starts a process that another node has asked for. Its link and its lifetime are tied to the
  /// parent by the connection by which that node has asked, even if the node has a new one by now.
  ///
  /// This calls code of the program, which may wait: `entryPoints()`, [ProcessListener], and
  /// `close()` when the start is refused. So the caller holds no lock, and has a thread for it.
  ///
  /// @param asker the connection to the node of the parent; it may have ended
  /// @throws dev.heddle.process.StartRefusedException as the other [#spawn]
  Pid spawn(Process process, StartOptions options, NodePeer asker);

  // ---- waits ----

  /// Waits as [ProcessRuntime#ask] does: a thread blocks, a coroutine and the body of a process
  /// suspend.
  ///
  /// @param what the name of the method that waits
  /// @param begin makes the future; not called in a step of a process
  /// @throws IllegalStateException in a step of a process, which it would hold
  <T extends @Nullable Object> T await(
      String what, Supplier<CompletableFuture<T>> begin, Duration limit)
      throws InterruptedException, ExecutionException, TimeoutException;

  /// Waits for space as a send to a full mailbox does: a coroutine and the body of a process
  /// suspend.
  ///
  /// @param begin makes the future, which nothing fails; not called when the caller may not wait
  /// @param of for reports of what is waited for
  /// @return false when the caller may not wait; at once
  boolean awaitRoom(Supplier<CompletableFuture<@Nullable Void>> begin, Pid of);

  // ---- code of the program ----

  /// Runs code of the program that may wait, each task on a thread of its own. A task for which no
  /// thread can be made waits until there is one, or is refused, as its caller chooses.
  RetryingExecutor callbacks();

  /// A future that completes as another one does, on a thread of its own, so its dependent stages
  /// may wait. Completing or cancelling it cancels the other one.
  <T extends @Nullable Object> CompletableFuture<T> forCaller(CompletableFuture<T> future);

  // ---- nodes ----

  /// Gives the connections of this runtime to one cluster.
  ///
  /// @return false when another one has them
  boolean claimNodes();

  /// Takes the connections back from the cluster that has them.
  void releaseNodes();

  /// Sets what stands for all nodes that have no peer. It stays when the cluster is left.
  void otherNodes(NodePeer peer);

  /// Adds the connection to a node, by the name of the node.
  ///
  /// @throws IllegalArgumentException when that node is this one, or has a peer
  void addNode(String node, NodePeer peer);

  /// Removes the connection to a node.
  ///
  /// @return false when there is none
  boolean removeNode(String node);
}
