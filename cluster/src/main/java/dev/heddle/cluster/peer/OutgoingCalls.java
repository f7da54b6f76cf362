// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.wire.Failures;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.Frame.FailureText;
import dev.heddle.cluster.wire.Frame.SpawnFlag;
import dev.heddle.cluster.wire.UndecodableMessageException;
import dev.heddle.process.Exit;
import dev.heddle.process.Lifetime;
import dev.heddle.process.NoReplyException;
import dev.heddle.process.Pid;
import dev.heddle.process.Reply;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// What this node has asked the other one for, in one session, and has no answer to yet: requests,
/// starts of processes, and whether a process has started. Any thread.
final class OutgoingCalls {
  /*
   * A call is registered before its frame is sent, since the answer may come before the send
   * returns. The answer, or the caller who has given up, removes it from the map and then completes
   * it. The end of the session completes it first, so that one which cannot be completed, for lack
   * of memory, is still there when the end is tried again; only the first completion counts.
   *
   * The end sets a flag first and then empties the map; a caller registers first and then reads the
   * flag. So one of the two sees the other, and no call stays. [RemoteNodeTest: C5]
   */

  /// One call, which is completed once.
  private interface Call {
    default void answer(byte[] content) throws UndecodableMessageException {
      fail(WRONG);
    }

    default void started(Pid pid) {
      fail(WRONG);
    }

    void fail(FailureText failure);

    void undecodable(UndecodableMessageException failure);

    void lost();
  }

  private static final FailureText WRONG =
      new FailureText(IllegalStateException.class.getName(), "the answer to another call", "");

  private final RemoteContext context;
  private final RemoteTies ties;
  private final ConcurrentMap<Long, Call> open = new ConcurrentHashMap<>();
  private final AtomicLong lastId = new AtomicLong();
  private volatile boolean ended;

  OutgoingCalls(RemoteContext context, RemoteTies ties) {
    this.context = context;
    this.ties = ties;
  }

  /// How many calls have no answer yet.
  int size() {
    return open.size();
  }

  // ---- calls ----

  /// Sends a request.
  ///
  /// @throws dev.heddle.process.NotSendableException when it cannot be encoded
  SendResult ask(Pid to, Request request) {
    Reply<?> inMessage = context.local().replyInMessage(request);
    byte[] content = context.contents().encodeAsk(request.message(), inMessage);
    long id = lastId.incrementAndGet();
    SendResult result = send(id, new AskCall(to, request), new Frame.Ask(id, to, content));
    if (result == SendResult.ACCEPTED) {
      context.local().onClosed(request, () -> giveUp(id));
    }
    return result;
  }

  /// Starts a process.
  ///
  /// @throws IllegalArgumentException when the options have what does not travel
  /// @throws dev.heddle.process.NotSendableException when the input cannot be encoded
  CompletableFuture<Pid> spawn(String entry, StartOptions options) {
    checkTravels(options);
    byte[] input = context.contents().encode(options.input());
    List<SpawnFlag> flags = new ArrayList<>(3);
    if (options.isLinked()) {
      flags.add(SpawnFlag.LINK);
    }
    if (options.isMonitored()) {
      flags.add(SpawnFlag.MONITOR);
    }
    if (options.lifetime() == Lifetime.WITH_PARENT) {
      flags.add(SpawnFlag.WITH_PARENT);
    }
    long id = lastId.incrementAndGet();
    SpawnCall call = new SpawnCall(entry, options);
    SendResult result =
        send(
            id,
            call,
            new Frame.Spawn(
                id, entry, input, options.parent(), List.copyOf(flags), options.name()));
    if (result != SendResult.ACCEPTED) {
      call.refuse("it was not sent: " + result, null);
    }
    return call.pid;
  }

  static void checkTravels(StartOptions options) {
    if (options.parent() == null
        && (options.isLinked()
            || options.isMonitored()
            || options.lifetime() == Lifetime.WITH_PARENT)) {
      throw new IllegalArgumentException(
          "a link, a monitor and a lifetime with the parent need a parent: " + options);
    }
    Entry.checkTravels(options);
  }

  /// Asks whether a process starts.
  CompletableFuture<Boolean> whenStarted(Pid target) {
    long id = lastId.incrementAndGet();
    StartCall call = new StartCall();
    if (send(id, call, new Frame.AwaitStart(id, target)) != SendResult.ACCEPTED) {
      call.started.complete(false);
    }
    var _ = call.started.whenComplete((_, _) -> giveUp(id));
    return call.started;
  }

  private SendResult send(long id, Call call, Frame frame) {
    open.put(id, call);
    SendResult result = SendResult.UNREACHABLE;
    try {
      result = ended ? result : context.sink().send(frame);
    } finally { // a name may be too long to be sent
      if (result != SendResult.ACCEPTED) {
        open.remove(id);
      }
    }
    return result;
  }

  /// The caller needs no answer any more, or has got it.
  private void giveUp(long id) {
    if (open.remove(id) != null && !ended) {
      context.send(new Frame.GiveUp(id));
    }
  }

  // ---- answers, by the session ----

  void onAnswer(long id, byte[] content) {
    Call call = open.remove(id);
    if (call == null) {
      return; // the caller has given up
    }
    try {
      call.answer(content);
    } catch (UndecodableMessageException e) {
      call.undecodable(e);
    }
  }

  void onFailure(long id, FailureText failure) {
    Call call = open.remove(id);
    if (call != null) {
      call.fail(failure);
    }
  }

  void onSpawned(long id, Pid pid) {
    Call call = open.remove(id);
    if (call == null) {
      return; // an answer to no call
    }
    if (context.isOfOther(pid)) {
      call.started(pid);
    } else {
      call.fail(WRONG);
    }
  }

  /// If it throws, another call continues there.
  void ended() {
    ended = true;
    open.forEach((id, call) -> {
      call.lost();
      open.remove(id);
    });
  }

  // ---- kinds of calls ----

  private final class AskCall implements Call {
    private final Pid to;
    private final Request request;

    AskCall(Pid to, Request request) {
      this.to = to;
      this.request = request;
    }

    @Override
    public void answer(byte[] content) throws UndecodableMessageException {
      var _ = context.local().complete(request, context.contents().decode(content));
    }

    @Override
    public void fail(FailureText failure) {
      var _ = context.local().fail(request, AskFailures.of(failure, to));
    }

    @Override
    public void undecodable(UndecodableMessageException failure) {
      var _ = context.local().fail(request, failure);
    }

    @Override
    public void lost() {
      Exit lost = new Exit(to, Exit.Reason.NO_CONNECTION, null, null);
      var _ = context.local().fail(request, new NoReplyException(lost));
    }
  }

  private final class SpawnCall implements Call {
    final CompletableFuture<Pid> pid = new CompletableFuture<>();
    private final String entry;
    private final StartOptions options;

    SpawnCall(String entry, StartOptions options) {
      this.entry = entry;
      this.options = options;
    }

    @Override
    public void started(Pid started) {
      Pid parent = options.parent();
      if (options.isMonitored() && parent != null) {
        ties.onMonitoredStart(context.local().find(parent), started);
      }
      if (!pid.complete(started)) {
        context.send(new Frame.Terminate(started, "the start was given up"));
      }
    }

    @Override
    public void fail(FailureText failure) {
      Throwable remote = Failures.of(context.other().node(), failure);
      pid.completeExceptionally(
          new StartRefusedException(String.valueOf(remote.getMessage()), remote));
    }

    @Override
    public void undecodable(UndecodableMessageException failure) {
      fail(WRONG); // a start has no answer with a content
    }

    @Override
    public void lost() {
      refuse(
          "the connection to it was lost; the process may have been started",
          new LostSessionException(context.other().node()));
    }

    void refuse(String why, @Nullable Throwable cause) {
      pid.completeExceptionally(
          new StartRefusedException(
              "'%s' on node '%s': %s".formatted(entry, context.other().node(), why), cause));
    }
  }

  private final class StartCall implements Call {
    final CompletableFuture<Boolean> started = new CompletableFuture<>();

    @Override
    public void answer(byte[] content) throws UndecodableMessageException {
      started.complete(Boolean.TRUE.equals(context.contents().decode(content)));
    }

    @Override
    public void fail(FailureText failure) {
      started.complete(false);
    }

    @Override
    public void undecodable(UndecodableMessageException failure) {
      started.complete(false);
    }

    @Override
    public void lost() {
      started.complete(false);
    }
  }
}
