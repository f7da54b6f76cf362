// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.NotDeliveredException;
import dev.heddle.cluster.group.Groups;
import dev.heddle.cluster.peer.Entry;
import dev.heddle.cluster.peer.FrameSink;
import dev.heddle.cluster.peer.PeerOptions;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Command.AssignShards;
import dev.heddle.cluster.roster.Command.Assignment;
import dev.heddle.cluster.roster.Command.ReleaseShards;
import dev.heddle.cluster.roster.Rendezvous;
import dev.heddle.cluster.roster.ShardState;
import dev.heddle.cluster.shard.ShardMessage.Bounced;
import dev.heddle.cluster.shard.ShardMessage.Deliver;
import dev.heddle.cluster.shard.ShardMessage.EndOfHandoff;
import dev.heddle.cluster.shard.ShardMessage.Forward;
import dev.heddle.cluster.shard.ShardMessage.HandedOver;
import dev.heddle.cluster.shard.ShardMessage.NotHere;
import dev.heddle.cluster.shard.ShardMessage.ReplyWanted;
import dev.heddle.cluster.shard.ShardMessageCodec.Answer;
import dev.heddle.cluster.shard.ShardMessageCodec.AskFailed;
import dev.heddle.cluster.shard.ShardMessageCodec.GiveUp;
import dev.heddle.cluster.shard.ShardMessageCodec.OfShard;
import dev.heddle.cluster.shard.ShardMessageCodec.Packet;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.Limits;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import dev.heddle.process.remote.LocalProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Requests of node `a`, and to it, around the end of a session: none waits for its time. Other
/// nodes are what this test says in their sessions.
@Timeout(300)
@Tag("C5")
class ShardSessionEndsTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final int SHARDS = 8;

  /// Does something when it is decoded.
  record Hooked(int number) {
    static volatile Runnable hook = () -> {};

    Hooked {
      hook.run();
    }
  }

  /// What node `a` sends in one session.
  private static final class Outbox implements FrameSink {
    final List<Frame> frames = new CopyOnWriteArrayList<>();
    volatile boolean isFull;
    volatile CompletableFuture<@Nullable Void> room = new CompletableFuture<>();

    @Override
    public SendResult send(Frame frame) {
      if (isFull && frame instanceof Frame.Service) {
        return SendResult.FULL;
      }
      frames.add(frame);
      return SendResult.ACCEPTED;
    }

    @Override
    public CompletableFuture<@Nullable Void> room() {
      return room;
    }

    @Override
    public void fail(Throwable why) {
      throw new AssertionError("the session would end", why);
    }

    /// The last packet of a kind about shards; null when there is none.
    <T> @Nullable T last(Class<T> kind) throws Exception {
      T last = null;
      for (Frame frame : frames) {
        if (frame instanceof Frame.Service it) {
          Packet packet = ShardMessageCodec.decode(it.content(), (_, _) -> Payload.NONE);
          Object about = packet instanceof OfShard of ? of.message() : packet;
          last = kind.isInstance(about) ? kind.cast(about) : last;
        }
      }
      return last;
    }
  }

  private final ProcessRuntime runtime =
      ProcessRuntime.builder().workers(1).node("a").host("main").start();
  private final LocalProcesses local = LocalProcesses.of(runtime);
  private final MessageTypes types = MessageTypes.of(List.of(Hooked.class), List.of());
  private final NodeLife self = new NodeLife("a", "main", local.address(0).incarnation());
  private final MessageWriter writer = new MessageWriter(types, self);
  private final WrittenLog log = new WrittenLog(self);
  private final Map<String, RemoteNode> sessions = new ConcurrentHashMap<>();
  private final List<Thread> threads = new ArrayList<>();
  private final BlockingQueue<Request> asked = new LinkedBlockingQueue<>();
  private volatile Runnable onLook = () -> {}; // for the session with a node
  private final ShardService service =
      new ShardService(self, local, log, writer, this::session, _ -> ShardMessageCodec.VERSION);

  private @Nullable RemoteNode session(String node) {
    onLook.run();
    return sessions.get(node);
  }

  @AfterEach
  void close() {
    Hooked.hook = () -> {};
    service.close();
    runtime.close();
  }

  // ---- the log ----

  private void apply(Command command) {
    log.write(command, service);
  }

  /// Node `b` has all shards, or `a` has.
  private void begin(String owner) {
    for (String node : List.of("a", "b", "c")) {
      log.admit(node, service);
    }
    service.open("cart", new ShardUse(SHARDS, "cart", LIMIT, Map.of()), Entry.of(this::cart));
    log.give(owner, "cart", SHARDS, service);
  }

  private void host(String node) {
    log.host(node, "cart", SHARDS, service);
  }

  private CoroutineProcess cart() {
    return CoroutineProcess.ofAction(self -> {
      while (true) {
        asked.add(self.receive(Request.class));
      }
    });
  }

  private ShardState state(String key) {
    return log.roster.shards().state("cart", shardOf(key));
  }

  private static int shardOf(String key) {
    return (int) Long.remainderUnsigned(Rendezvous.hash(key), SHARDS);
  }

  /// A key of a shard.
  private static String keyOf(int shard) {
    String key = "k0";
    for (int i = 1; shardOf(key) != shard; i++) {
      key = "k" + i;
    }
    return key;
  }

  // ---- sessions ----

  /// Another session with a node, which `a` has not noticed yet.
  private Outbox session(String node, boolean isKnown) {
    PeerOptions offers = new PeerOptions(Map.of(), PeerOptions.ForeignOrders.REFUSED);
    NodeLife other = new NodeLife(node, "main", 5);
    Outbox outbox = new Outbox();
    RemoteNode opened =
        new RemoteNode(
            other,
            local,
            outbox,
            types,
            offers,
            new Groups(local),
            it -> service.received(other, it.content()));
    opened.handle(List.of(outbox.frames.getFirst())); // it has the same types
    RemoteNode last = sessions.put(node, opened);
    if (last != null) {
      last.ended();
    }
    if (isKnown) {
      service.sessionChanged(node);
    }
    return outbox;
  }

  private void end(String node) {
    sessions.remove(node).ended();
    service.sessionChanged(node);
  }

  private void say(String from, Packet packet) {
    sessions
        .get(from)
        .handle(
            List.of(
                new Frame.Service(ShardPeers.SERVICE, ShardMessageCodec.encode(packet, writer))));
  }

  private void say(String from, String key, ShardMessage message) {
    say(from, new OfShard("cart", shardOf(key), message));
  }

  private EntityMessage request(String origin, String key, long ask, Object value) {
    return new EntityMessage(origin, key, ask, new Payload(value, writer.encode(value)), 100);
  }

  private CompletableFuture<@Nullable Object> ask(String key, Object message) {
    return service.ask("cart", key, message, LIMIT);
  }

  private long sentAsk(Outbox outbox) throws Exception {
    Deliver sent = outbox.last(Deliver.class);
    assertThat(sent).isNotNull();
    return sent.message().ask();
  }

  private static void assertLost(CompletableFuture<@Nullable Object> answer) {
    assertThat(answer).isCompletedExceptionally();
    assertThatThrownBy(answer::join)
        .cause()
        .isInstanceOfSatisfying(
            NotDeliveredException.class, it -> assertThat(it.mayBeDelivered()).isTrue());
  }

  // ---- threads that meet ----

  private Thread start(Runnable run) {
    Thread thread = Thread.ofPlatform().daemon().unstarted(run);
    threads.add(thread);
    thread.start();
    return thread;
  }

  private void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static boolean isIn(String method) {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals(method)));
  }

  private void awaitEnd() {
    try {
      join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Until a thread has ended, or waits for a lock.
  private static void awaitBlocked(Thread thread) {
    while (thread.getState() != Thread.State.TERMINATED
        && thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Runnable once(Runnable run) {
    boolean[] hasRun = new boolean[1];
    return () -> {
      if (!hasRun[0]) {
        hasRun[0] = true;
        run.run();
      }
    };
  }

  // ---- the orders ----

  @Test
  void reply_thatIsTooLargeByAFewBytes_failsAtItsAsker_whichDoesNotWaitForItsTime()
      throws Exception {
    begin("a");
    Outbox toB = session("b", true);
    long generation = state("k").generation();
    say("b", "k", new Deliver(generation, request("b", "k", 5, "?")));
    byte[] reply = new byte[Limits.MESSAGE_BYTES - 8]; // encoded, it is less than a message has
    assertThat(writer.encode(reply).length).isLessThan(Limits.MESSAGE_BYTES);

    boolean _ = asked.take().reply().complete(reply);

    while (toB.last(Answer.class) == null && toB.last(AskFailed.class) == null) {
      Thread.onSpinWait(); // the reply is told by a thread of the runtime
    }
    assertThat(toB.last(Answer.class)).isNull();
    AskFailed failed = toB.last(AskFailed.class);
    assertThat(failed).isNotNull();
    assertThat(failed.ask()).isEqualTo(5);
  }

  @Test
  void requestThatIsGivenBack_whileItsSessionEnds_failsAtOnce() throws Exception {
    begin("b");
    Outbox b = session("b", true);
    CompletableFuture<@Nullable Object> answer = ask("k", new Hooked(1));
    EntityMessage sent = request("a", "k", sentAsk(b), new Hooked(1));
    Thread back = Thread.currentThread();
    Hooked.hook =
        once(() -> { // this thread has seen that the session is open
          CountDownLatch isEnding = new CountDownLatch(1);
          Thread end = Thread.ofPlatform().daemon().unstarted(() -> service.sessionChanged("b"));
          onLook =
              () -> { // under the lock of the service
                if (Thread.currentThread() == end) {
                  isEnding.countDown();
                  awaitBlocked(back);
                }
              };
          sessions.remove("b");
          threads.add(end);
          end.start();
          await(isEnding);
        });
    say("b", "k", new Bounced(state("k").generation(), sent));
    join();

    assertLost(answer);
  }

  @Test
  void requestThatWasHandedOver_whenItsReplyWasLostWithASession_failsAtOnce() throws Exception {
    begin("b");
    Outbox b = session("b", true);
    session("c", true);
    CompletableFuture<@Nullable Object> answer = ask("k", "what");
    long number = sentAsk(b);
    Outbox c = session("c", true); // node `c` has replied in the last one
    EntityMessage request = request("a", "k", number, "what");
    say("b", "k", new HandedOver(request, "c", state("k").generation() + 1));

    assertThat(c.last(ReplyWanted.class)).isEqualTo(new ReplyWanted(number));
    assertThat(answer).isNotDone();
    say("c", "k", new NotHere(number));
    assertLost(answer);
  }

  @Test
  void requestThatWasHandedOver_toANodeThatHasIt_waitsForItsReply() throws Exception {
    begin("b");
    Outbox b = session("b", true);
    Outbox c = session("c", true);
    CompletableFuture<@Nullable Object> answer = ask("k", "what");
    long number = sentAsk(b);
    EntityMessage request = request("a", "k", number, "what");
    say("b", "k", new HandedOver(request, "c", state("k").generation() + 1));
    say("b", "k", new NotHere(number)); // it was there before
    say("c", new Answer(number, writer.encode("that")));

    assertThat(c.last(ReplyWanted.class)).isNotNull();
    assertThat(answer).isCompletedWithValue("that");
  }

  /// Node `a` gets a shard of node `b`, with a request.
  private void handOver(String key, EntityMessage request) {
    host("a");
    long last = state(key).latest();
    apply(new AssignShards("cart", List.of(new Assignment(shardOf(key), last, "a"))));
    long next = state(key).next();
    say("b", key, new Forward(next, request));
    say("b", key, new EndOfHandoff(next));
    List<Command.Release> one = List.of(new Command.Release(shardOf(key), next));
    apply(new ReleaseShards("b", log.admissionOf("b"), "cart", one));
    assertThat(state(key).generation()).isEqualTo(next);
  }

  @Test
  void node_saysThatARequestIsNotHere_whenItWasGivenUpWithASession_andNotBefore() throws Exception {
    begin("b");
    session("b", true);
    Outbox c = session("c", true);
    handOver("k", request("c", "k", 7, "what"));
    Request there = asked.take();
    say("c", "k", new ReplyWanted(7));
    say("c", "k", new ReplyWanted(8));
    assertThat(c.last(NotHere.class)).isEqualTo(new NotHere(8));

    Outbox next = session("c", true);
    assertThat(there.reply().isOpen()).isFalse();
    say("c", "k", new ReplyWanted(7));
    assertThat(next.last(NotHere.class)).isEqualTo(new NotHere(7));
  }

  @Test
  void requestOfANewSession_isNotGivenUp_withTheLastOne() throws Exception {
    begin("a");
    session("b", true);
    String first = keyOf(0); // the shard that is looked at first
    String other = keyOf(1);
    var _ = ask(first, "first");
    var _ = asked.take();
    session("b", false);
    Thread end = Thread.currentThread();
    AtomicInteger requests = new AtomicInteger();
    log.onLease =
        () -> {
          boolean learns = isIn("sessionEnded"); // messages have to wait
          if (Thread.currentThread() != end || requests.get() != (learns ? 0 : 1)) {
            return;
          }
          EntityMessage request = request("b", other, requests.incrementAndGet(), "next");
          long generation = state(other).generation();
          Thread next = start(() -> say("b", other, new Deliver(generation, request)));
          if (learns) {
            awaitBlocked(next);
          } else { // the shards look what they can do now
            awaitEnd();
          }
        };
    service.sessionChanged("b");
    join();

    assertThat(requests).hasValue(2);
    for (int i = 0; i < 2; i++) {
      assertThat(asked.take().reply().isOpen()).isTrue();
    }
  }

  @Test
  void requestThatHasNotLeft_doesNotFailWithTheSession_andLeavesInTheNext() throws Exception {
    begin("b");
    Outbox full = session("b", true);
    full.isFull = true;
    CompletableFuture<@Nullable Object> answer = ask("k", "what");
    assertThat(full.last(Deliver.class)).isNull();
    end("b");
    assertThat(answer).isNotDone();

    Outbox b = session("b", true);
    say("b", new Answer(sentAsk(b), writer.encode("that")));
    assertThat(answer).isCompletedWithValue("that");
  }

  @Test
  void requestThatHasComeBackToItsNode_isGivenUpAtItsEntity() throws Exception {
    begin("b");
    Outbox b = session("b", true);
    CompletableFuture<@Nullable Object> answer = ask("k", "what");
    EntityMessage request = request("a", "k", sentAsk(b), "what");
    handOver("k", request);
    Request here = asked.take();
    say("b", "k", new HandedOver(request, "a", state("k").generation()));
    assertThat(here.reply().isOpen()).isTrue();
    assertThat(answer.cancel(false)).isTrue();

    assertThat(here.reply().isOpen()).isFalse();
  }

  @Test
  void requestThatIsGivenUp_beforeItsEntityHasIt_isNotGivenToIt() throws Exception {
    begin("b");
    session("b", true);
    session("c", true);
    long next = log.roster.applied() + 2; // the generation that follows
    say("c", "k", new Deliver(next, request("c", "k", 7, "early")));
    say("c", new GiveUp(7));
    handOver("k", request("c", "k", 8, "handed over"));
    assertThat(state("k").generation()).isEqualTo(next);
    say("c", "k", new Deliver(next, request("c", "k", 9, "late")));

    assertThat(asked.take().message()).isEqualTo("handed over");
    assertThat(asked.take().message()).isEqualTo("late");
  }
}
