// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.Cluster;
import dev.heddle.cluster.ClusterOptions;
import dev.heddle.cluster.EntityId;
import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.NotDeliveredException;
import dev.heddle.cluster.ShardOptions;
import dev.heddle.cluster.Shards;
import dev.heddle.ports.TestPorts;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Request;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Nodes `a` to `d` in one JVM, over real sockets of loopback and the real log of `a`, `b` and `c`,
/// with entities that count: of a key one runs, and each sender's numbers grow.
final class CountingNodes implements AutoCloseable {
  static final Duration LONG = Duration.ofMinutes(2); // no lease or request ends by itself
  static final int KEYS = 60;

  /// Adds a number that its sender counts up.
  record Add(String sender, int number) {}

  /// Asks for the node and the life of the entity.
  record Where() {}

  /// Where an entity runs.
  record At(String node, int life, long token) {}

  private final Path root;
  private final Duration lease;
  private final List<Integer> ports = new ArrayList<>();
  private final Map<String, Integer> last = new ConcurrentHashMap<>(); // by sender, type and key
  private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>(); // by type and key
  private final Map<String, AtomicInteger> added = new ConcurrentHashMap<>(); // by type
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final AtomicInteger lives = new AtomicInteger();
  private final List<Cluster> open = new ArrayList<>();
  final Semaphore gate = new Semaphore(0);

  /// @param root of the voters' directories
  CountingNodes(Path root, Duration lease) throws IOException {
    this.root = root;
    this.lease = lease;
    for (int i = 0; i < 4; i++) {
      ports.add(TestPorts.next());
    }
  }

  /// Counts, and reports what is out of order or runs twice.
  private final class Counter extends CoroutineProcess {
    private final String node;

    Counter(String node) {
      this.node = node;
    }

    @Override
    protected @Nullable Object run(@Nullable Object input) throws Exception {
      EntityId id = (EntityId) Objects.requireNonNull(input);
      int life = lives.incrementAndGet();
      AtomicInteger here =
          running.computeIfAbsent(id.type() + " " + id.key(), _ -> new AtomicInteger());
      if (here.incrementAndGet() != 1) {
        wrong.add("two of " + id);
      }
      try {
        while (true) {
          switch (receive()) {
            case Add add -> add(id, add);
            case Request(Where _, var reply) -> {
              boolean _ = reply.complete(new At(node, life, id.token()));
            }
            case Request(String what, _) -> throw new IllegalStateException(what);
            case null, default -> {}
          }
        }
      } finally {
        here.decrementAndGet();
      }
    }

    private void add(EntityId id, Add add) throws InterruptedException {
      if (add.sender.equals("gated")) {
        gate.acquire();
      }
      Integer before = last.put(add.sender + " to " + id.type() + " " + id.key(), add.number);
      if (before != null && before >= add.number) {
        wrong.add("%s after %d at %s".formatted(add, before, id));
      }
      counter(id.type()).incrementAndGet();
    }
  }

  private AtomicInteger counter(String type) {
    return added.computeIfAbsent(type, _ -> new AtomicInteger());
  }

  /// How many numbers the entities of a type have.
  int added(String type) {
    return counter(type).get();
  }

  void assertNothingWrong() {
    assertThat(wrong).isEmpty();
  }

  /// Opens a node.
  Cluster join(String name) throws IOException {
    ClusterOptions options =
        ClusterOptions.named(name)
            .bind("127.0.0.1", ports.get(name.charAt(0) - 'a'))
            .seeds(ports.stream().map(port -> "127.0.0.1:" + port).toArray(String[]::new))
            .voters("a", "b", "c")
            .labels(Map.of("role", name.equals("c") ? "front" : "back"))
            .messages(Add.class, Where.class, At.class)
            .lease(lease)
            .entry("counter", () -> new Counter(name));
    Cluster cluster =
        Cluster.join(name.equals("d") ? options : options.directory(root.resolve(name)));
    open.add(cluster);
    return cluster;
  }

  /// The shards of a type at a node.
  static Shards counters(Cluster at, String type) {
    return at.shards(type, ShardOptions.entry("counter").count(32));
  }

  /// Again, while there is no majority or no connection yet.
  static At where(Shards shards, String key) throws InterruptedException {
    while (true) {
      try {
        return shards.of(key).ask(new Where(), LONG);
      } catch (NoQuorumException _) {
        TestVoters.pause(); // the voters have to meet
      } catch (NotDeliveredException e) {
        assertThat(e).hasMessageNotContaining("no reply in time");
        TestVoters.pause(); // nodes have to open sessions
      }
    }
  }

  private static void send(Shards from, String key, Add add) {
    while (true) {
      try {
        if (from.of(key).offer(add).isAccepted()) {
          return;
        }
      } catch (NoQuorumException _) {
        TestVoters.pause();
      }
    }
  }

  static void await(BooleanSupplier what) {
    TestVoters.await("what the nodes do", what);
  }

  /// Sends until it is stopped, and waits for the entity after every 20th message.
  ///
  /// @return completes with the count
  static CompletableFuture<Integer> sender(Shards from, String name, CountDownLatch stop) {
    CompletableFuture<Integer> sent = new CompletableFuture<>();
    var _ =
        Thread.ofVirtual()
            .start(() -> {
              try {
                int n = 0;
                while (stop.getCount() != 0) {
                  n++;
                  String key = "k" + n % KEYS;
                  send(from, key, new Add(name, n));
                  if (n % 20 == 0) {
                    var _ = where(from, key);
                  }
                }
                sent.complete(n);
              } catch (Throwable t) {
                sent.completeExceptionally(t);
              }
            });
    return sent;
  }

  /// Ends all: nobody hands anything over.
  @Override
  public void close() {
    gate.release(1 << 20);
    LeaveAtOnce.endAll(open);
  }
}
