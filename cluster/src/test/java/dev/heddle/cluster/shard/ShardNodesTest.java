// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.EntityId;
import dev.heddle.cluster.NotDeliveredException;
import dev.heddle.cluster.engine.LocalEngines;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.NoReplyException;
import dev.heddle.process.Process;
import dev.heddle.process.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
    System.out.println("answered " + answered + " " + fates.values().stream().collect(java.util.stream.Collectors.groupingBy(x -> x, java.util.stream.Collectors.counting())));
    assertThat(answered).isGreaterThan(CALLS / 2);
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
    } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
      throw new AssertionError("no answer to " + add, e);
    }
  }
}
