// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.EntityId;
import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.NotDeliveredException;
import dev.heddle.cluster.engine.LocalEngines;
import dev.heddle.cluster.peer.Entry;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.NoReplyException;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.Process;
import dev.heddle.process.Reply;
import dev.heddle.process.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Shards of running nodes in one JVM.
@Timeout(400)
@Execution(ExecutionMode.CONCURRENT) // each test has nodes of its own, and mostly waits for them
class ShardNodesTest {
  private static final int CALLS = 10_000;
  private static final int KEYS = 100;
  private static final int CALLERS = 4;
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Duration IDLE = Duration.ofMinutes(10);

  /// The number of a caller's message to a key.
  record Add(String caller, int number) {}

  /// What the entities of all nodes have seen, by key.
  private static final class Seen {
    final Map<String, Integer> last = new ConcurrentHashMap<>(); // by caller and key
    final Map<String, Long> tokens = new ConcurrentHashMap<>();
    final Map<Add, String> keys = new ConcurrentHashMap<>();
    final Queue<String> wrong = new ConcurrentLinkedQueue<>();

    void add(EntityId id, Add add) {
      Long before = tokens.put(id.key(), id.token());
      if (before != null && before > id.token()) {
        wrong.add("%s acts after %d".formatted(id, before));
      }
      String pair = add.caller + " to " + id.key();
      Integer last = this.last.put(pair, add.number);
      if (last != null && last >= add.number) {
        wrong.add("%s after %d".formatted(add, last));
      }
      if (keys.put(add, id.key()) != null) {
        wrong.add(add + " twice");
      }
    }
  }

  private final Seen seen = new Seen();
  private final LocalEngines engines = new LocalEngines();
  private MemoryLog log = new MemoryLog(LIMIT);
  private final List<ShardNode> nodes = new ArrayList<>();

  private Process counter() {
    return CoroutineProcess.ofAction(self -> {
      EntityId id = (EntityId) self.input();
      while (true) {
        Object got = self.receive();
        Request request = got instanceof Request it ? it : null;
        Add add = (Add) (request == null ? got : request.message());
        seen.add(id, Objects.requireNonNull(add));
        boolean _ = request == null || request.reply().complete(add.number());
      }
    });
  }

  private static ShardUse use(int count, Duration idle) {
    return new ShardUse(count, "counter", idle, Map.of());
  }

  private ShardNode start(String name) {
    ShardNode node = new ShardNode(name, engines, log, List.of(Add.class));
    node.shards.open("counter", use(32, IDLE), Entry.of(this::counter));
    nodes.add(node);
    return node.start();
  }

  @AfterEach
  void close() {
    isOver = true;
    nodes.forEach(ShardNode::close);
  }

  @Test
  @Tag("C6")
  @Tag("C8")
  void calls_whileNodesJoinLeaveAndAreKilled_areInOrder_andCountedOnceOrReported()
      throws Exception {
    log = new MemoryLog(MemoryLog.SHORT);
    ShardNode a = start("a");
    ShardNode b = start("b");
    ShardNode c = start("c");
    callers(a, b, this::call);

    ShardNode d = start("d");
    awaitEntities(d);
    c.leave();
    ShardNode e = start("e");
    awaitEntities(e);
    d.kill();
    await(() -> !log.owns("d"));
    finishCallers();

    assertThat(seen.wrong).isEmpty();
    assertThat(answered).isNotEmpty().allMatch(seen.keys::containsKey);
    assertThat(answered.size() + lost.get()).isGreaterThanOrEqualTo(CALLS);
    assertThat(answered).hasSizeGreaterThan(CALLS / 2);
    assertThat(seen.keys.size()).isBetween(answered.size(), answered.size() + lost.get());
  }

  @Test
  @Tag("C3")
  @Tag("C8")
  void messages_whileNodesBeginAndEndToHost_areDeliveredInOrder_orReported() throws Exception {
    ShardNode a = start("a");
    ShardNode b = start("b");
    callers(a, b, this::send);

    ShardNode c = start("c");
    awaitEntities(c);
    Object _ = c.shards.leave().get(200, TimeUnit.SECONDS); // its sessions stay open
    finishCallers();

    await(() -> seen.keys.size() + a.shards.failed() + b.shards.failed() >= accepted.get());
    assertThat(seen.wrong).isEmpty();
    assertThat(seen.keys.size() + a.shards.failed() + b.shards.failed())
        .isBetween((long) accepted.get(), (long) accepted.get() + lost.get());
    assertThat(accepted.get() + lost.get()).isGreaterThanOrEqualTo(CALLS);
  }

  // ---- callers ----

  /// Sends one message, or asks.
  private interface Call {
    void to(ShardNode from, String key, Add add) throws Exception;
  }

  private final Set<Add> answered = ConcurrentHashMap.newKeySet();
  private final AtomicInteger lost = new AtomicInteger();
  private final AtomicInteger accepted = new AtomicInteger();
  private final List<CompletableFuture<?>> callers = new ArrayList<>();
  private volatile boolean isOver;

  private void callers(ShardNode a, ShardNode b, Call call) {
    for (int i = 0; i < CALLERS; i++) {
      ShardNode from = i % 2 == 0 ? a : b;
      String caller = "caller" + i;
      CompletableFuture<?> end = new CompletableFuture<>();
      callers.add(end);
      var _ =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                try {
                  for (int n = 1; !isOver || n <= CALLS / CALLERS; n++) {
                    call.to(from, "key" + n % KEYS, new Add(caller, n));
                  }
                  end.complete(null);
                } catch (Throwable t) {
                  end.completeExceptionally(t);
                }
              });
    }
  }

  private void finishCallers() throws Exception {
    isOver = true;
    for (CompletableFuture<?> caller : callers) {
      Object _ = caller.get(300, TimeUnit.SECONDS);
    }
  }

  private void awaitEntities(ShardNode node) throws InterruptedException {
    await(() -> node.shards.running("counter") > 0);
  }

  private void await(BooleanSupplier what) throws InterruptedException {
    while (!what.getAsBoolean()) {
      log.awaitReader(); // nodes change at their ticks, at which they read the log
    }
  }

  /// Again, when it was refused: then no entity may have got it.
  private void call(ShardNode from, String key, Add add) throws Exception {
    while (true) {
      try {
        assertThat(from.shards.ask("counter", key, add, LIMIT).get(200, TimeUnit.SECONDS))
            .isEqualTo(add.number());
        answered.add(add);
        accepted.incrementAndGet();
        return;
      } catch (NoQuorumException _) {
        Thread.yield(); // a busy machine may cost it its lease
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof NotDeliveredException it) || it.mayBeDelivered()) {
          lost.incrementAndGet();
          return;
        }
        Thread.yield();
      }
    }
  }

  /// Without waiting for replies, but for every 20th.
  private void send(ShardNode from, String key, Add add) throws Exception {
    if (add.number() % 20 == 0) {
      call(from, key, add);
      return;
    }
    while (!isAccepted(from, key, add)) {
      Thread.yield();
    }
    accepted.incrementAndGet();
  }

  private static boolean isAccepted(ShardNode from, String key, Add add) {
    try {
      return from.shards.offer("counter", key, add).isAccepted();
    } catch (NoQuorumException _) {
      return false;
    }
  }

  // ---- one node ----

  private ShardNode alone(Duration idle, Supplier<Process> entry) {
    ShardNode node = new ShardNode("a", engines, log, List.of(Add.class));
    node.shards.open("counter", use(4, idle), Entry.of(entry));
    nodes.add(node);
    return node.start();
  }

  private static @Nullable Object ask(ShardNode node, String key, Object message) throws Exception {
    return node.shards.ask("counter", key, message, LIMIT).get(200, TimeUnit.SECONDS);
  }

  @Test
  void entity_withoutMessages_isEnded_andTheNextMessageStartsAnother() throws Exception {
    Queue<EntityId> started = new ConcurrentLinkedQueue<>();
    ShardNode node =
        alone(
            Duration.ZERO,
            () ->
                CoroutineProcess.ofAction(self -> {
                  started.add((EntityId) self.input());
                  boolean _ = self.receive(Request.class).reply().complete(1);
                  Object _ = self.receive();
                }));

    for (int i = 0; i < 3; i++) {
      assertThat(ask(node, "k", "message " + i)).isEqualTo(1);
      await(() -> node.shards.running("counter") == 0);
    }

    assertThat(started).hasSize(3);
    assertThat(started.stream().distinct()).hasSize(1);
    assertThat(started.element().type()).isEqualTo("counter");
    assertThat(started.element().key()).isEqualTo("k");
    assertThat(started.element().token()).isPositive();
  }

  @Test
  @Tag("C8")
  void entity_thatEndsByItself_leavesItsMessagesToItsSuccessor_inOrder() throws Exception {
    Queue<Object> got = new ConcurrentLinkedQueue<>();
    ShardNode node =
        alone(
            IDLE,
            () ->
                CoroutineProcess.ofAction(self -> {
                  if (self.receive() instanceof Request request) {
                    boolean _ = request.reply().complete(request.message());
                  } else {
                    got.add("one"); // and it ends
                  }
                }));

    for (int i = 0; i < 500; i++) { // fewer than are held before it owns its shards
      assertThat(node.shards.offer("counter", "k", i).isAccepted()).isTrue();
    }
    assertThat(ask(node, "k", "last")).isEqualTo("last");
    assertThat(got).hasSize(500);
    assertThat(node.shards.failed()).isZero();
  }

  @Test
  @Tag("C5")
  void request_onWhichAnEntityFails_fails_andTheNextOneHasAnother() throws Exception {
    ShardNode node =
        alone(
            IDLE,
            () ->
                CoroutineProcess.ofAction(self -> {
                  Request request = self.receive(Request.class);
                  if (request.message().equals("bad")) {
                    throw new IllegalStateException("bad message");
                  }
                  boolean _ = request.reply().complete("good");
                }));

    CompletableFuture<?> bad = node.shards.ask("counter", "k", "bad", LIMIT);
    assertThat(ask(node, "k", "fine")).isEqualTo("good");

    assertThatThrownBy(() -> bad.get(200, TimeUnit.SECONDS))
        .hasCauseInstanceOf(NoReplyException.class);
  }

  @Test
  @Tag("C5")
  void request_thatIsGivenUp_isToldToTheEntitysNode() throws Exception {
    ShardNode a = start("a");
    ShardNode b = start("b");
    BlockingQueue<Reply<?>> asked = new LinkedBlockingQueue<>();
    for (ShardNode node : List.of(a, b)) {
      node.shards.open(
          "slow",
          use(1, IDLE),
          Entry.of(() ->
              CoroutineProcess.ofAction(self -> {
                while (true) {
                  asked.add(self.receive(Request.class).reply());
                }
              })));
    }

    for (ShardNode node : List.of(a, b)) { // one of them has the entity
      CompletableFuture<?> answer = node.shards.ask("slow", "k", 1, LIMIT);
      Reply<?> reply = Objects.requireNonNull(asked.poll(200, TimeUnit.SECONDS));
      assertThat(reply.isOpen()).isTrue();
      assertThat(answer.cancel(false)).isTrue();
      await(() -> !reply.isOpen());
    }
  }

  @Test
  void message_thatCannotBeEncoded_orToUnknownShards_isRefused_whereverTheEntityIs() {
    ShardNode node = alone(IDLE, this::counter);

    assertThatThrownBy(() -> node.shards.offer("counter", "k", new Object()))
        .isInstanceOf(NotSendableException.class);
    assertThatThrownBy(() -> node.shards.offer("basket", "k", 1)).hasMessageContaining("'basket'");
    assertThatThrownBy(() -> node.shards.offer("counter", "", 1)).hasMessageContaining("0");
    node.shards.open("counter", use(4, IDLE), Entry.of(this::counter)); // once more
    assertThatThrownBy(() -> node.shards.open("counter", use(5, IDLE), null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("node 'a'", "as 4 shards", "not as 5 shards");
    assertThatThrownBy(() -> node.shards.open("counter", use(4, Duration.ZERO), null))
        .hasMessageContainingAll("PT10M", "PT0S");
  }
}
