// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.EntityId;
import dev.heddle.cluster.peer.Entry;
import dev.heddle.cluster.roster.Command.AssignShards;
import dev.heddle.cluster.roster.Command.Assignment;
import dev.heddle.cluster.roster.Command.HostShards;
import dev.heddle.cluster.roster.Command.Renew;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessListener;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.remote.LocalProcesses;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The shards of a type, with threads that meet at chosen places.
@Timeout(300)
class EntityTypeTest {
  private static final int SHARDS = 2;
  private static final long SECOND = 1_000_000_000L;

  private static final String SLOW = "slow"; // the key of an entity whose start waits

  private final CountDownLatch startGoesOn = new CountDownLatch(1);
  private final ProcessRuntime runtime =
      ProcessRuntime.builder()
          .workers(1)
          .node("a")
          .host("main")
          .listener(new SlowListener())
          .start();
  private final LocalProcesses local = LocalProcesses.of(runtime);
  private final Semaphore taken = new Semaphore(0);
  private final CountDownLatch received = new CountDownLatch(2);

  private final class SlowListener implements ProcessListener {
    @Override
    public void onStart(Pid pid, StartOptions options) throws InterruptedException {
      if (options.input() instanceof EntityId(_, String key, _) && key.equals(SLOW)) {
        startGoesOn.await();
      }
    }
  }

  /// Another thread looks at the other shards whenever this one asks for the time.
  private final HeldBytes held = new HeldBytes(HeldBytes.MOST);

  private final class Meddling implements EntityType.Node, LocalEntity.Listener {
    private final EntityAsks asks = new EntityAsks(7, (_, _) -> {}, Runnable::run);
    final List<Failure> failed = new CopyOnWriteArrayList<>();
    private long entities;
    long now;
    @Nullable EntityType type; // from then on
    @Nullable EntityType told; // what entities take

    @Override
    public long nanos() {
      EntityType meddledWith = type;
      if (meddledWith != null) {
        Thread other = Thread.ofPlatform().start(() -> meddledWith.carryOut());
        try {
          other.join();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      return now;
    }

    @Override
    public String self() {
      return "a";
    }

    @Override
    public boolean mayAct(long admission) {
      return true;
    }

    @Override
    public long nextEntity() {
      return ++entities;
    }

    @Override
    public LocalEntity entity(
        long number, int shard, EntityId id, Process process, StartOptions options) {
      return new LocalEntity(number, shard, id, local, process, options, this, 0);
    }

    @Override
    public boolean isInSession(String node) {
      return false;
    }

    @Override
    public SendResult send(String node, String of, int shard, ShardMessage.Deliver message) {
      return SendResult.UNREACHABLE;
    }

    @Override
    public void post(String node, String of, int shard, ShardMessage message) {}

    @Override
    public boolean hasRoom(String node) {
      return true;
    }

    @Override
    public void release(String of, int shard, long next) {}

    @Override
    public void failed(EntityMessage of, Failure why, @Nullable String cause, String name) {
      failed.add(why);
    }

    @Override
    public EntityAsks asks() {
      return asks;
    }

    @Override
    public IncomingAsks incoming() {
      throw new IllegalStateException("there are no requests of others");
    }

    @Override
    public HeldBytes held() {
      return held;
    }

    @Override
    public void carryOut() {}

    @Override
    public void asked(
        EntityMessage message, LocalEntity entity, CompletableFuture<@Nullable Object> reply) {}

    @Override
    public boolean isWanted(EntityMessage message) {
      return true;
    }

    @Override
    public void replied(
        EntityMessage message, @Nullable Object result, @Nullable Throwable failure) {}

    @Override
    public void notTaken(EntityMessage message, CompletableFuture<@Nullable Object> reply) {}

    @Override
    public void taken(LocalEntity entity) {}

    @Override
    public void refused(LocalEntity entity) {
      EntityType to = told;
      if (to != null) {
        to.taken(entity);
      }
    }

    @Override
    public void tookOne(LocalEntity entity) {
      EntityType to = told;
      if (to != null) {
        to.tookOne(entity);
      }
    }

    @Override
    public void ended(LocalEntity entity) {}
  }

  @AfterEach
  void close() {
    runtime.close();
  }

  private CoroutineProcess counting() {
    return CoroutineProcess.ofAction(self -> {
      while (true) {
        Object _ = self.receive();
        received.countDown();
        taken.release();
      }
    });
  }

  private static EntityMessage message(String key) {
    return new EntityMessage("a", key, 0, new Payload("text", null), 10);
  }

  @Test
  @Tag("C8")
  void message_whileAnotherThreadLooksAtOtherShards_isNotLeftBehind() throws Exception {
    Meddling node = new Meddling();
    EntityType type = type(node, 1_000);
    String key = keyOfFirst(type);
    type.offer(message(key)); // starts the entity
    node.type = type;
    type.offer(message(key)); // nobody sends another one, or looks again
    received.await();
  }

  /// The agent of the node may be the one that starts it.
  @Test
  @Tag("C9")
  void startOfAnEntity_thatWaits_keepsBackNobodyElse() throws Exception {
    EntityType type = type(new Meddling(), 1_000);
    String other = "k0";
    for (int i = 1; type.shardOf(other) != type.shardOf(SLOW); i++) {
      other = "k" + i;
    }
    type.offer(message(SLOW));
    type.offer(message(SLOW));
    type.tick();
    type.offer(message(other));
    taken.acquire(); // that of the other one
    assertThat(taken.availablePermits()).isZero();

    startGoesOn.countDown();
    taken.acquire(2);
  }

  @Test
  @Tag("C9")
  void startOfAnEntity_thatWaits_keepsBackNoOtherKeyOfItsShard_andCountsAsRunning()
      throws Exception {
    Meddling node = new Meddling();
    EntityType type = type(node, 1_000);
    String other = "k0";
    for (int i = 1; type.shardOf(other) != type.shardOf(SLOW); i++) {
      other = "k" + i;
    }
    type.offer(message(SLOW));
    type.offer(message(other));
    taken.acquire(); // that of the other key
    assertThat(type.running()).isEqualTo(2);
    startGoesOn.countDown();
    taken.acquire();
  }

  private static String keyOfFirst(EntityType type) {
    String key = "k0";
    for (int i = 1; type.shardOf(key) != 0; i++) {
      key = "k" + i;
    }
    return key;
  }

  @Test
  @Tag("C9")
  void agendaOfABusyShard_thatIsToBeLookedAtMuchLater_doesNotGrow() throws Exception {
    Meddling node = new Meddling();
    EntityType type = type(node, 600 * SECOND);
    node.told = type;
    String key = keyOfFirst(type);
    for (int i = 0; i < 50; i++) {
      type.offer(message(key));
      taken.acquire();
      type.tick(); // it has taken something, which is told in 100 ms
      node.now += SECOND;
      type.tick();
    }

    assertThat(type.scheduled()).isEqualTo(1);
  }

  /// It kept its place in the shard for good: the space of all senders went, and what came later
  /// was delivered before it.
  @Test
  @Tag("C9")
  void messageThatAMailboxRefuses_whichOthersHaveFilled_failsAndKeepsNoPlace() throws Exception {
    CompletableFuture<Pid> pid = new CompletableFuture<>();
    CountDownLatch gate = new CountDownLatch(1);
    Semaphore others = new Semaphore(0);
    Meddling node = new Meddling();
    EntityType type =
        type(
            node,
            600 * SECOND,
            () ->
                CoroutineProcess.ofAction(self -> {
                  pid.complete(self.context().self());
                  gate.await();
                  while (true) {
                    (self.receive().equals("text") ? taken : others).release();
                  }
                }));
    node.told = type;
    String key = keyOfFirst(type);
    type.offer(message(key)); // starts the entity
    int filled = 0;
    while (local.offer(pid.get(), "of another").isAccepted()) {
      filled++;
    }
    type.offer(message(key));
    assertThat(node.failed).containsExactly(Failure.FULL);

    gate.countDown();
    taken.acquire(); // the first one
    others.acquire(filled);
    type.offer(message(key));
    taken.acquire();
    assertThat(node.failed).hasSize(1);
  }

  private EntityType type(Meddling node, long idleNanos) {
    return type(node, idleNanos, this::counting);
  }

  private EntityType type(Meddling node, long idleNanos, Supplier<Process> process) {
    Roster roster = new Roster();
    var _ = roster.apply(1, new Renew("a", 1, null));
    var _ = roster.apply(2, new HostShards("a", 1, "cart", SHARDS, true));
    var _ =
        roster.apply(
            3,
            new AssignShards(
                "cart", List.of(new Assignment(0, 0, "a"), new Assignment(1, 0, "a"))));
    EntityType type = new EntityType("cart", SHARDS, Entry.of(process), idleNanos, node);
    type.applied(roster.shards(), null);
    return type;
  }
}
