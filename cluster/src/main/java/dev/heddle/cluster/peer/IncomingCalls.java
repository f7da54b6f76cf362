// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.wire.Failures;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.Frame.SpawnFlag;
import dev.heddle.cluster.wire.UndecodableMessageException;
import dev.heddle.process.Lifetime;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.Reply;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.remote.NodePeer;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// What the other node has asked this one for, in one session, and has no answer to yet. Frames
/// come from one thread at a time; answers go out on the threads that give them, so they follow
/// what these have sent before. Each start has a thread of its own.
final class IncomingCalls {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.peer");

  private final RemoteContext context;
  private final RemoteTies ties;
  private final IncomingRefusals refusals;
  private final Map<String, Entry> entries;
  private final BooleanSupplier isEnded;

  // any thread
  private final ConcurrentMap<Long, CompletableFuture<?>> open = new ConcurrentHashMap<>();
  private volatile boolean ended;

  /// @param isEnded whether the session has ended; any thread
  IncomingCalls(
      RemoteContext context,
      RemoteTies ties,
      IncomingRefusals refusals,
      Map<String, Entry> entries,
      BooleanSupplier isEnded) {
    this.context = context;
    this.ties = ties;
    this.refusals = refusals;
    this.entries = entries;
    this.isEnded = isEnded;
  }

  int size() {
    return open.size();
  }

  // ---- requests ----

  /// Passes a request to a process.
  ///
  /// @return `FULL` when the mailbox has no space: nothing was answered; `ACCEPTED` otherwise
  SendResult ask(Frame.Ask ask) {
    CompletableFuture<@Nullable Object> answer;
    try {
      answer = request(ask);
    } catch (UndecodableMessageException e) {
      refusals.undecodable(ask.to(), e);
      failAsk(ask, e);
      return SendResult.ACCEPTED;
    } catch (CompletionException e) { // thrown on, it would end the session
      failAsk(ask, e.getCause() == null ? e : e.getCause());
      return SendResult.ACCEPTED;
    }
    if (isFull(answer, ask.to())) {
      return SendResult.FULL;
    }
    register(ask.id(), answer);
    var _ =
        answer.handle((result, failure) -> { // a failure is made once: nobody has this stage
          ended(ask, result, failure);
          return true;
        });
    return SendResult.ACCEPTED;
  }

  private void ended(Frame.Ask ask, @Nullable Object result, @Nullable Throwable failure) {
    if (ended || open.remove(ask.id()) == null) {
      return; // the session has ended, or the asker has given up
    }
    if (failure == null) {
      answer(ask, result);
    } else {
      failAsk(ask, failure);
    }
  }

  /// A message with a `Reply` is made when that reply exists.
  private CompletableFuture<@Nullable Object> request(Frame.Ask ask)
      throws UndecodableMessageException {
    try {
      Object content = context.contents().decode(ask.content());
      // dropped as a message is, when a constructor has waited beyond the end: nobody waits for it
      return isEnded.getAsBoolean()
          ? new CompletableFuture<>()
          : context.local().request(ask.to(), content);
    } catch (UndecodableMessageException e) {
      if (e.why() != UndecodableMessageException.Why.NO_REPLY) {
        throw e;
      }
    }
    try {
      return context.local().requestTyped(ask.to(), reply -> decodeTyped(ask, reply));
    } catch (CompletionException e) {
      if (e.getCause() instanceof UndecodableMessageException undecodable) {
        throw undecodable;
      }
      throw e;
    }
  }

  private @Nullable Object decodeTyped(Frame.Ask ask, Reply<?> reply) {
    try {
      return context.contents().decodeAsk(ask.content(), reply);
    } catch (UndecodableMessageException e) {
      throw new CompletionException(e);
    }
  }

  private static boolean isFull(CompletableFuture<?> answer, Pid to) {
    return answer.isCompletedExceptionally()
        && answer.exceptionNow() instanceof SendFailedException unsent
        && unsent.result() == SendResult.FULL
        && unsent.receiver().equals(to);
  }

  private void register(long id, CompletableFuture<?> answer) {
    open.put(id, answer);
    if (ended && open.remove(id) != null) {
      answer.cancel(false);
    }
  }

  private void answer(Frame.Ask ask, @Nullable Object result) {
    try {
      context.send(new Frame.Answer(ask.id(), context.contents().encode(result)));
    } catch (NotSendableException e) {
      failAsk(ask, e);
    }
  }

  void failAsk(Frame.Ask ask, Throwable failure) {
    context.send(new Frame.AskFailed(ask.id(), AskFailures.text(failure, ask.to())));
  }

  void giveUp(long id) {
    CompletableFuture<?> answer = open.remove(id);
    if (answer != null) {
      answer.cancel(false);
    }
  }

  void awaitStart(Frame.AwaitStart wait) {
    CompletableFuture<Boolean> started = context.local().whenStarted(wait.target());
    register(wait.id(), started);
    var _ =
        started.whenComplete((yes, failure) -> {
          if (!ended && open.remove(wait.id()) != null) {
            byte[] content = context.contents().encode(failure == null && yes);
            context.send(new Frame.Answer(wait.id(), content));
          }
        });
  }

  // ---- starts ----

  /// Has the entry make a process, starts that and answers. All three call code of the program,
  /// which may wait: called without a lock, on a thread of its own.
  ///
  /// The session may end at any time. A process that is made after that is closed instead of
  /// started: the other node takes it for lost. One that is being started is tied by the session
  /// that has asked for it, so the end cuts its ties as it does those of any other process.
  ///
  /// @param session ties the process to its parent
  void spawn(Frame.Spawn spawn, NodePeer session) {
    Frame.Spawned answer;
    try {
      Entry entry = entry(spawn);
      StartOptions options = entry.with(options(spawn));
      Process process = Objects.requireNonNull(entry.process().get(), "an entry made no process");
      if (isEnded.getAsBoolean()) {
        close(process, spawn);
        return;
      }
      Pid started = context.local().spawn(process, options, session);
      answer = new Frame.Spawned(spawn.id(), started);
    } catch (Throwable t) {
      refuse(spawn, t);
      return;
    }
    if (spawn.flags().contains(SpawnFlag.MONITOR)) {
      ties.answerMonitoredStart(answer);
    } else {
      context.send(answer);
    }
  }

  /// Answers that a process cannot be started.
  void refuse(Frame.Spawn spawn, Throwable why) {
    countRefused(spawn, why);
    context.send(new Frame.SpawnFailed(spawn.id(), Failures.text(why)));
  }

  private void close(Process process, Frame.Spawn spawn) {
    try {
      process.close();
    } catch (Throwable t) {
      LOG.log(
          System.Logger.Level.ERROR,
          "close() of a process failed, which entry '%s' had made for node '%s', out of touch by then"
              .formatted(spawn.entry(), context.other().node()),
          t);
    }
  }

  private void countRefused(Frame.Spawn spawn, Throwable why) {
    String receiver = "entry '" + spawn.entry() + "'";
    if (why instanceof UndecodableMessageException undecodable) {
      refusals.undecodable(receiver, undecodable);
    } else {
      refusals.add(receiver, "START_REFUSED");
    }
  }

  private Entry entry(Frame.Spawn spawn) {
    Entry entry = entries.get(spawn.entry());
    if (entry == null) {
      throw new StartRefusedException(
          "node '%s' has no entry '%s'; it has %s"
              .formatted(context.self(), spawn.entry(), new TreeSet<>(entries.keySet())),
          null);
    }
    return entry;
  }

  private StartOptions options(Frame.Spawn spawn) throws UndecodableMessageException {
    Pid parent = spawn.parent();
    StartOptions options =
        StartOptions.defaults()
            .withInput(context.contents().decode(spawn.input()))
            .withName(spawn.name())
            .withParent(parent);
    if (parent == null && !spawn.flags().isEmpty()) {
      throw new StartRefusedException("no parent for " + spawn.flags(), null);
    }
    if (parent != null && !context.isOfOther(parent)) {
      throw new StartRefusedException("the parent is not of the node that asks: " + parent, null);
    }
    options = spawn.flags().contains(SpawnFlag.LINK) ? options.linked() : options;
    return spawn.flags().contains(SpawnFlag.WITH_PARENT)
        ? options.withLifetime(Lifetime.WITH_PARENT)
        : options;
  }

  // ---- the end ----

  /// If it throws, another call continues there.
  void ended() {
    ended = true;
    open.forEach((id, answer) -> {
      answer.cancel(false);
      open.remove(id);
    });
  }
}
