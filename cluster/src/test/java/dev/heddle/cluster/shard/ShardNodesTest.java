// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.engine.LocalEngines;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Shards of running nodes in one JVM.
@Timeout(400)
class ShardNodesTest {
  private static final int CALLS = 10_000;
  private static final int KEYS = 100;
  private static final int CALLERS = 4;
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
  private final MemoryLog log = new MemoryLog();
  private final List<ShardNode> nodes = new ArrayList<>();

  private Process counter() {
    return CoroutineProcess.ofAction(self -> {
      EntityId id = (EntityId) self.input();
      while (true) {
        Request request = self.receive(Request.class);
        Add add = (Add) request.message();
        seen.add(id, add);
        boolean _ = request.reply().complete(add.number());
      }
    });
  }

  private ShardNode start(String name) {
    ShardNode node = new ShardNode(name, engines, log, List.of(Add.class));
    node.shards.open("counter", 32, this::counter, IDLE);
    nodes.add(node);
    return node.start();
  }

  @AfterEach
  void close() {
    nodes.forEach(ShardNode::close);
  }

  @Test
  @Tag("C6")
  @Tag("C8")
  void calls_whileNodesJoinLeaveAndAreKilled_areInOrder_andCountedOnceOrReported()
      throws Exception {
    ShardNode a = start("a");
    ShardNode b = start("b");
    ShardNode c = start("c");
    Map<Add, String> fates = new ConcurrentHashMap<>();
    List<Thread> callers = new ArrayList<>();
    AtomicInteger done = new AtomicInteger();
    for (int i = 0; i < CALLERS; i++) {
      ShardNode from = i % 2 == 0 ? a : b;
      String caller = "caller" + i;
      callers.add(Thread.ofPlatform().start(() -> call(from, caller, fates, done)));
    }

    await(done, CALLS / 5);
    ShardNode d = start("d");
    await(done, CALLS * 2 / 5);
    c.leave();
    await(done, CALLS * 3 / 5);
    start("e");
    await(done, CALLS * 4 / 5);
    d.kill();
    for (Thread caller : callers) {
      caller.join();
    }

    assertThat(seen.wrong).isEmpty();
    int answered = 0;
    for (var fate : fates.entrySet()) {
      boolean isSeen = seen.keys.containsKey(fate.getKey());
      switch (fate.getValue()) {
        case "answered" -> assertThat(isSeen).as("%s", fate).isTrue();
        case "refused" -> assertThat(isSeen).as("%s", fate).isFalse();
        default -> {} // lost: nobody knows
      }
      answered += fate.getValue().equals("answered") ? 1 : 0;
    }
    assertThat(fates).hasSize(CALLS);
    assertThat(answered).isGreaterThan(CALLS / 2);
  }

  // ---- one node ----

  private ShardNode alone(Duration idle, Supplier<Process> entry) {
    ShardNode node = new ShardNode("a", engines, log, List.of(Add.class));
    node.shards.open("counter", 4, entry, idle);
    nodes.add(node);
    return node.start();
  }

  private static @Nullable Object ask(ShardNode node, String key, Object message)
      throws Exception {
    return node.shards.ask("counter", key, message).get(200, TimeUnit.SECONDS);
  }

  @Test
  void entity_withoutMessages_isEnded_andTheNextMessageStartsAnother() throws Exception {
    Queue<EntityId> started = new ConcurrentLinkedQueue<>();
    ShardNode node =
        alone(
            Duration.ZERO,
            () -> CoroutineProcess.ofAction(self -> {
              started.add((EntityId) self.input());
              boolean _ = self.receive(Request.class).reply().complete(1);
              Object _ = self.receive();
            }));

    for (int i = 0; i < 3; i++) {
      assertThat(ask(node, "k", "message " + i)).isEqualTo(1);
      while (node.shards.running("counter") > 0) {
        Thread.onSpinWait();
      }
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
            () -> CoroutineProcess.ofAction(self -> {
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
            () -> CoroutineProcess.ofAction(self -> {
              Request request = self.receive(Request.class);
              if (request.message().equals("bad")) {
                throw new IllegalStateException("bad message");
              }
              boolean _ = request.reply().complete("good");
            }));

    CompletableFuture<?> bad = node.shards.ask("counter", "k", "bad");
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
          1,
          () -> CoroutineProcess.ofAction(self -> {
            while (true) {
              asked.add(self.receive(Request.class).reply());
            }
          }),
          IDLE);
    }

    for (ShardNode node : List.of(a, b)) { // one of them has the entity
      CompletableFuture<?> answer = node.shards.ask("slow", "k", 1);
      Reply<?> reply = Objects.requireNonNull(asked.poll(200, TimeUnit.SECONDS));
      assertThat(reply.isOpen()).isTrue();
      assertThat(answer.cancel(false)).isTrue();
      while (reply.isOpen()) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void message_thatCannotBeEncoded_orToUnknownShards_isRefused_whereverTheEntityIs() {
    ShardNode node = alone(IDLE, this::counter);

    assertThatThrownBy(() -> node.shards.offer("counter", "k", new Object()))
        .isInstanceOf(NotSendableException.class);
    assertThatThrownBy(() -> node.shards.offer("basket", "k", 1)).hasMessageContaining("'basket'");
    assertThatThrownBy(() -> node.shards.offer("counter", "", 1)).hasMessageContaining("0");
    assertThatThrownBy(() -> node.shards.open("counter", 5, this::counter, IDLE))
        .hasMessageContaining("4 shards");
  }

  private static void await(AtomicInteger done, int count) {
    while (done.get() < count) {
      Thread.onSpinWait();
    }
  }

  private static void call(
      ShardNode from, String caller, Map<Add, String> fates, AtomicInteger done) {
    for (int number = 1; number <= CALLS / CALLERS; number++) {
      Add add = new Add(caller, number);
      String key = "key" + number % KEYS;
      fates.put(add, fate(from, key, add));
      done.incrementAndGet();
    }
  }

  private static String fate(ShardNode from, String key, Add add) {
    try {
      Object answer = from.shards.ask("counter", key, add).get(200, TimeUnit.SECONDS);
      assertThat(answer).isEqualTo(add.number());
      return "answered";
    } catch (ExecutionException e) {
      return switch (e.getCause()) {
        case NotDeliveredException it when !it.mayBeDelivered() -> "refused";
        case NotDeliveredException _, NoReplyException _ -> "lost";
        case null, default -> throw new AssertionError(e);
      };
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("no answer to " + add, e);
    }
  }
}
