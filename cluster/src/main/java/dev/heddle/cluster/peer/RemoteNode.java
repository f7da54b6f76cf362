// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.cluster.group.Groups;
import dev.heddle.cluster.observe.ClusterJfrEvents;
import dev.heddle.cluster.wire.Content;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.cluster.wire.UndecodableMessageException;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.remote.LocalProcesses;
import dev.heddle.process.remote.NodePeer;
import dev.heddle.process.remote.ProcessOrder;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// One session with another node, as processes see it. It carries what processes here do to those
/// there, by frames, and does here what the frames of the other node say.
///
/// **Thread** any. No method waits, but for the end of another call of [#handle] or [#ended]: these
/// two are called by the threads of the session, never by a worker.
public final class RemoteNode implements NodePeer {
  /*
   * States.
   *
   * from   event                      to     by, with
   * OPEN   handle(packet)             same   the session: under the lock of the delivery, in order
   * OPEN   ended()                    ENDED  the session: the rest under the same lock, by the
   *                                          thread that has it, so nothing of the session is
   *                                          delivered after it
   * ENDED  handle, ended              same   ignored
   * OPEN   send, link, monitor, …     same   any thread: a frame
   * ENDED  send, order                same   UNREACHABLE
   * ENDED  link, monitor, whenExited  same   NO_CONNECTION at once
   *
   * The end marks this node as ended first, and removes the members of groups. Then, under the lock
   * of the delivery, held messages are dropped, stand-ins exit, calls fail and waits for space
   * complete: each part is marked as ended before it is emptied, so that what comes later sees the
   * mark. A part that fails keeps back no other one, and is tried again until it is done
   * (RetriedTask). So each part leaves what it could not end where the next try finds it.
   * [RemoteNodeEndTest]
   *
   * Code of the program runs elsewhere: starts and listeners of groups on threads of their own,
   * stages of futures too (see LocalProcesses). Only constructors of messages and codecs run under
   * the lock of the delivery. One that waits keeps back its session, and not its end.
   *
   * A start calls the supplier of the entry, entryPoints() of the process, the listeners of the
   * runtime, and close() if it is refused. Each may wait for ever: so it holds no lock, and keeps
   * back its own answer and nothing else. [CallbacksTest] The session may end meanwhile:
   *   before the process is passed to the runtime   it is closed; the asker takes it for lost
   *   after that                                    it is started; this session ties it to its
   *                                                 parent and watches it, so the end cuts all
   *                                                 that, or has done so, as for other processes
   * The runtime must not look for the session of the parent: it might find the next one, where the
   * parent lives and knows nothing of a process that was reported as lost.
   * [RemoteStartEndsTest; mutant: cluster-start-tied-to-the-next-session]
   *
   * Rejected. To start under a lock that the end takes too: a listener that waits would keep the
   * end, which is under the lock of all sessions.
   *
   * Locks, in this order: that of the delivery (a JDK lock: only threads of the session, those of
   * starts when all is done, of a part of the end that is tried again, and the one that serves
   * mailboxes with space), that of the ties, that of the sink. Workers and bodies of processes take
   * only the last two, which park nobody: a parked body needs a worker to go on, and that worker
   * might be waiting for the same lock.
   *
   * ended() takes only the locks of the ties and of the sink, and never waits for a delivery.
   *
   * I1. No frame makes handle throw: payloads are decoded where a failure is answered, addresses
   *     that lead nowhere are refused or ignored, answers to no call are ignored.
   *     [RemoteNodeTest, RemoteTiesRandomTest]
   * I2. What a thread here does in turn leaves in turn: each method has sent its frames when it
   *     returns. An answer or a DOWN leaves on the thread of the process, after all it has sent.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.peer");

  private final RemoteContext context;
  private final PeerOptions options;
  private final Groups groups;
  private final Consumer<Frame.Service> services;
  private final RemoteTies ties;
  private final OutgoingCalls outgoing;
  private final IncomingCalls incoming;
  private final IncomingRefusals refusals;
  private final Deliveries deliveries;
  private final RefusedMessages refused;
  private final PausedReceivers paused = new PausedReceivers();
  private final DeliveryLock delivery = new DeliveryLock();
  private final RetriedTask membersEnd;
  private final List<RetriedTask> otherEnds; // in this order

  private volatile boolean ended; // written by the end, before all else

  // under the lock of the delivery
  private boolean isOver;
  private boolean isOrderLogged;

  /// @param other the life that the session is with
  /// @param sink takes the frames of the session
  /// @param types of the messages; announced by the first frame
  /// @param groups of this node; their members are told by the second frame
  /// @param services takes what other parts of the cluster send, in order with all else; must not
  ///   wait
  public RemoteNode(
      NodeLife other,
      LocalProcesses local,
      FrameSink sink,
      MessageTypes types,
      PeerOptions options,
      Groups groups,
      Consumer<Frame.Service> services) {
    Pid here = local.address(0);
    NodeLife self = new NodeLife(here.node(), here.host(), here.incarnation());
    SessionContents contents = new SessionContents(types, self, other);
    this.context = new RemoteContext(other, self.node(), local, sink, contents);
    this.options = options;
    this.groups = groups;
    this.services = services;
    this.ties = new RemoteTies(context);
    this.outgoing = new OutgoingCalls(context, ties);
    this.refusals = new IncomingRefusals(context);
    this.incoming = new IncomingCalls(context, ties, refusals, options.entries(), () -> ended);
    this.deliveries = new Deliveries(context, incoming, refusals, delivery, () -> ended);
    this.refused = new RefusedMessages(local);
    this.membersEnd = retried(() -> groups.ended(this), "removing the members of groups of");
    this.otherEnds =
        List.of(
            delivered(deliveries::ended, "dropping the held messages of"),
            delivered(ties::ended, "ending the links and monitors of"),
            delivered(outgoing::ended, "failing the requests to"),
            delivered(incoming::ended, "giving up the requests of"),
            delivered(paused::ended, "ending the waits for space at"));
    context.send(new Frame.Types(contents.signatures()));
    groups.opened(this, context::send);
  }

  private RetriedTask retried(Runnable task, String what) {
    String of = "node '" + other().node() + "'";
    return new RetriedTask(context.local().callbacks(), task, what, of);
  }

  /// The same under the lock of the delivery, also when it is run again.
  private RetriedTask delivered(Runnable task, String what) {
    return retried(
        () -> {
          delivery.lock();
          try {
            task.run();
          } finally {
            delivery.unlock();
          }
        },
        what);
  }

  /// The other node.
  public NodeLife other() {
    return context.other();
  }

  // ---- messages ----

  @Override
  public SendResult send(Pid to, @Nullable Object message) {
    if (ended) {
      return SendResult.UNREACHABLE;
    }
    if (!context.isOfOther(to)) {
      return SendResult.NOT_FOUND;
    }
    if (paused.isPaused(to)) {
      return SendResult.FULL;
    }
    if (message instanceof Request request) {
      return outgoing.ask(to, request);
    }
    Content content = context.contents().encodeInPlace(message);
    refused.sending(to);
    return context.sink().send(new Frame.Message(to, content));
  }

  @Override
  public @Nullable CompletableFuture<@Nullable Void> room(Pid to) {
    return paused.room(to, context.sink().room());
  }

  /// Sends what another part of the cluster says to the same part there, in this session.
  ///
  /// @return as of [FrameSink#send]
  public SendResult sendService(Frame.Service message) {
    return ended ? SendResult.UNREACHABLE : context.sink().send(message);
  }

  /// Completes when [#sendService] has space again after `FULL`, as [FrameSink#room].
  public CompletableFuture<@Nullable Void> serviceRoom() {
    return context.sink().room();
  }

  /// Whether this thread delivers a frame of this session: else that frame is of another one with
  /// the same life, which has ended.
  public boolean isDelivering() {
    return delivery.isHeld();
  }

  /// Decodes a content that the other node has encoded, in the order in which it came.
  ///
  /// @throws UndecodableMessageException when it cannot be decoded
  public @Nullable Object decode(byte[] content) throws UndecodableMessageException {
    return context.contents().decode(content);
  }

  // ---- links and monitors ----

  @Override
  public void link(ProcessLinks.Owner one, Pid other) {
    ties.link(one, other);
  }

  @Override
  public void unlink(ProcessLinks.Owner one, Pid other) {
    ties.unlink(one, other);
  }

  @Override
  public long monitor(ProcessLinks.Owner watcher, Pid target, LongConsumer known) {
    return ties.monitor(watcher, target, known);
  }

  @Override
  public CompletableFuture<Exit> whenExited(Pid target) {
    return ties.whenExited(target);
  }

  // ---- life ----

  @Override
  public CompletableFuture<Boolean> whenStarted(Pid target) {
    return context.isOfOther(target)
        ? outgoing.whenStarted(target)
        : CompletableFuture.completedFuture(false);
  }

  /// Starts a process at the other node. A parent that is linked to it, or monitors it, is told of
  /// its end even if that comes before this future completes. To cancel the future gives up: a
  /// process that was started nevertheless is terminated.
  ///
  /// @param entry one of the names that the other node lets others start
  /// @param with input, name, parent, link, monitor, lifetime; nothing else reaches another node
  /// @return completes with the PID, there or of the process that has the name; fails with a
  ///   [dev.heddle.process.StartRefusedException] that names the node
  /// @throws IllegalArgumentException when the options have what does not reach another node
  /// @throws dev.heddle.process.NotSendableException when the input cannot be encoded
  public CompletableFuture<Pid> spawn(String entry, StartOptions with) {
    return outgoing.spawn(entry, with);
  }

  /// Checks options as [#spawn] does.
  ///
  /// @throws IllegalArgumentException when they have what does not reach another node
  public static void checkTravels(StartOptions with) {
    OutgoingCalls.checkTravels(with);
  }

  @Override
  public void order(Pid target, ProcessOrder order) {
    SendResult result =
        ended
            ? SendResult.UNREACHABLE
            : context.isOfOther(target)
                ? context.sink().send(frameOf(target, order))
                : SendResult.NOT_FOUND;
    if (result != SendResult.ACCEPTED) {
      throw new SendFailedException(target, result);
    }
  }

  private Frame frameOf(Pid target, ProcessOrder order) {
    return switch (order) {
      case ProcessOrder.Terminate(String reason) -> new Frame.Terminate(target, reason);
      case ProcessOrder.Cancel(String reason, Duration time) ->
          new Frame.Cancel(target, reason, nanosOf(time));
      case ProcessOrder.RequestExit(Pid from, Object detail) ->
          new Frame.RequestExit(from, target, context.contents().encode(detail));
    };
  }

  private static long nanosOf(Duration time) {
    return Math.max(0, TimeUnit.NANOSECONDS.convert(time)); // 292 years at most
  }

  // ---- what the other node says ----

  /// Does what the frames of a packet say, until the session ends. Takes the lock once for all:
  /// else each frame would wait for the thread that serves mailboxes. Called in the order of the
  /// packets, by one thread at a time.
  public void handle(List<Frame> packet) {
    delivery.lock();
    try {
      int next = 0;
      while (next < packet.size() && !ended) {
        next = carryOut(packet, next);
      }
    } finally {
      delivery.unlock();
    }
  }

  /// Does what a frame of a packet says, and those that follow it, if they are messages in a row to
  /// one process: it is woken once for all.
  ///
  /// @return the index of the first frame that is left
  int carryOut(List<Frame> packet, int next) {
    Frame frame = packet.get(next);
    if (frame instanceof Frame.Message) {
      return deliveries.messages(packet, next);
    }
    carryOut(frame);
    return next + 1;
  }

  private void carryOut(Frame frame) {
    switch (frame) {
      case Frame.Types(var names) -> context.contents().onTypes(names);
      case Frame.Message message -> deliveries.message(message);
      case Frame.Ask ask -> deliveries.ask(ask);
      case Frame.Answer(long id, var content) -> outgoing.onAnswer(id, content);
      case Frame.AskFailed(long id, var failure) -> outgoing.onFailure(id, failure);
      case Frame.GiveUp(long id) -> {
        deliveries.giveUp(id);
        incoming.giveUp(id);
      }
      case Frame.Refused(Pid to, var why, long count) -> onRefused(to, why, count);
      case Frame.Pause(Pid to, var policy) -> {
        if (context.isOfOther(to)) {
          paused.pause(to, policy);
        }
      }
      case Frame.Resume(Pid to) -> paused.resume(to);
      case Frame.Monitor(Pid target) -> ties.onMonitor(target);
      case Frame.Demonitor(Pid target) -> ties.onDemonitor(target);
      case Frame.Link(Pid from, Pid to) -> {
        if (context.isOfOther(from)) {
          ties.onLink(from, to);
        }
      }
      case Frame.Unlink(Pid from, Pid to, long seen) -> ties.onUnlink(from, to, seen);
      case Frame.Down(Pid pid, var exit) -> ties.onDown(pid, context.contents().exit(pid, exit));
      case Frame.Spawn spawn -> spawn(spawn);
      case Frame.Spawned(long id, Pid pid) -> outgoing.onSpawned(id, pid);
      case Frame.SpawnFailed(long id, var failure) -> outgoing.onFailure(id, failure);
      case Frame.AwaitStart wait -> incoming.awaitStart(wait);
      case Frame.Terminate(Pid target, String reason) ->
          onOrder(target, new ProcessOrder.Terminate(reason));
      case Frame.Cancel(Pid target, String reason, long nanos) ->
          onOrder(target, new ProcessOrder.Cancel(reason, Duration.ofNanos(Math.max(0, nanos))));
      case Frame.RequestExit request -> requestExit(request);
      case Frame.Members(var all) -> groups.onMembers(this, ofOther(all));
      case Frame.Joined(String group, Pid member) ->
          groups.onJoined(this, group, ofOther(List.of(member)));
      case Frame.Left(String group, Pid member) -> groups.onLeft(this, group, member);
      case Frame.Service service -> services.accept(service);
    }
  }

  private void onRefused(Pid to, SendResult why, long count) {
    refused.onRefused(to, why, count);
    if (ClusterJfrEvents.areRecorded()) {
      String there = context.other().node();
      ClusterJfrEvents.refused(context.pair(), there, to.toString(), why.name(), count);
    }
  }

  /// Starts a process on a thread of its own, without a lock: a start calls code of the program. If
  /// no thread can be made, the start is refused.
  private void spawn(Frame.Spawn spawn) {
    int bytes = spawn.input().length;
    deliveries.startBegins(bytes);
    Runnable start =
        () -> {
          try {
            incoming.spawn(spawn, this);
          } finally {
            deliveries.startIsOver(bytes);
          }
        };
    try {
      context.local().callbacks().executeNow(start);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      deliveries.startIsOver(bytes);
      incoming.refuse(spawn, e);
    }
  }

  private Map<String, List<Pid>> ofOther(Map<String, List<Pid>> groups) {
    Map<String, List<Pid>> checked = new HashMap<>();
    groups.forEach((group, pids) -> checked.put(group, ofOther(pids)));
    return checked;
  }

  private List<Pid> ofOther(List<Pid> pids) {
    return pids.stream().filter(context::isOfOther).toList();
  }

  private void requestExit(Frame.RequestExit request) {
    Object detail;
    try {
      detail = context.contents().decode(request.detail());
    } catch (UndecodableMessageException e) {
      refusals.undecodable(request.target(), e);
      return;
    }
    Pid from = request.from();
    if (detail != null && (from == null || context.isOfOther(from))) {
      onOrder(request.target(), new ProcessOrder.RequestExit(from, detail));
    }
  }

  private void onOrder(Pid target, ProcessOrder order) {
    if (options.orders() == PeerOptions.ForeignOrders.CARRIED_OUT) {
      context.local().order(target, order);
      return;
    }
    refusals.add(target, "ORDERS_REFUSED");
    if (!isOrderLogged) {
      isOrderLogged = true;
      log(
          "ignored %s to %s, and ignores more: this node has refuseOrders()"
              .formatted(order, target));
    }
  }

  private void log(String what) {
    LOG.log(System.Logger.Level.WARNING, "node '" + context.other().node() + "': " + what);
  }

  // ---- what is seen from outside ----

  /// How many bytes of memory are taken here by messages that wait behind full mailboxes, and by
  /// what is known of these mailboxes.
  public long heldBytes() {
    return deliveries.heldBytes();
  }

  /// Completes when the other node may be given credit for more packets: at once, unless more than
  /// 24 MiB are held.
  public CompletableFuture<@Nullable Void> creditReturn() {
    return deliveries.creditReturn();
  }

  /// The counters of this session, and what is open in it.
  public Counters counters() {
    return new Counters(
        ties.standIns(),
        ties.watches(),
        outgoing.size(),
        incoming.size(),
        paused.size(),
        deliveries.heldBytes(),
        deliveries.dropped(),
        refusals.count(),
        refused.count());
  }

  /// What is open in a session, and what was lost in it.
  ///
  /// @param standIns processes of the other node that some here are tied to
  /// @param watches processes here that the other node wants to know the end of
  /// @param outgoingCalls requests and starts that the other node has not answered
  /// @param incomingCalls those that this node has not answered
  /// @param pausedReceivers processes of the other node whose mailboxes are nearly full
  /// @param heldBytes of memory, of messages that wait here behind full mailboxes
  /// @param dropped messages that waited so when the session ended
  /// @param refusedHere messages, requests, orders and starts of it that were not accepted here
  /// @param refusedThere messages to the other node that were not accepted there
  public record Counters(
      int standIns,
      int watches,
      int outgoingCalls,
      int incomingCalls,
      int pausedReceivers,
      long heldBytes,
      long dropped,
      long refusedHere,
      long refusedThere) {}

  // ---- the end ----

  /// The session has ended. Nothing of it is delivered after this, but for the frame that another
  /// thread is delivering. Does not wait for that: that thread does the rest.
  public void ended() {
    ended = true;
    membersEnd.run(); // first: the next session with that node tells of its members
    delivery.doLast(this::end);
  }

  private void end() {
    if (isOver) {
      return;
    }
    isOver = true;
    otherEnds.forEach(RetriedTask::run);
  }
}
