// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.EntityId;
import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.peer.Entry;
import dev.heddle.cluster.roster.Command.AssignShards;
import dev.heddle.cluster.roster.Command.Assignment;
import dev.heddle.cluster.roster.Command.HostShards;
import dev.heddle.cluster.roster.ShardTable;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.remote.LocalProcesses;
import dev.heddle.process.remote.RetryingExecutor;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The shards of node `a` and a log that this test writes.
@Timeout(300)
class ShardServiceTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final ProcessRuntime runtime =
      ProcessRuntime.builder().workers(1).node("a").host("main").start();
  private final NodeLife self =
      new NodeLife("a", "main", LocalProcesses.of(runtime).address(0).incarnation());
  private final WrittenLog log = new WrittenLog(self);
  private final ShardService service =
      new ShardService(
          self,
          LocalProcesses.of(runtime),
          log,
          new MessageWriter(MessageTypes.of(List.of(), List.of()), self),
          _ -> null,
          _ -> ShardMessageCodec.VERSION);

  @AfterEach
  void close() {
    service.close();
    runtime.close();
  }

  private static ShardUse use(int count) {
    return new ShardUse(count, "cart", Duration.ofMinutes(10), Map.of());
  }

  private static CoroutineProcess echo() {
    return CoroutineProcess.ofAction(self -> {
      while (true) {
        Request request = self.receive(Request.class);
        boolean _ = request.reply().complete(request.message());
      }
    });
  }

  @Test
  @Tag("C6")
  void type_withAnotherCountThanTheLogs_isRefusedAtTheCaller_andTheLogGoesOn() throws Exception {
    log.admit("a", service);
    service.open("cart", use(64), Entry.of(ShardServiceTest::echo)); // before the log is known
    service.open("other", use(4), Entry.of(ShardServiceTest::echo));
    assertThat(service.offer("cart", "k", "early").isAccepted()).isTrue();
    log.admit("b", service);
    log.host("b", "cart", 16, service);
    log.write(new AssignShards("cart", List.of(new Assignment(3, 0, "b"))), service);
    log.give("a", "other", 4, service);
    service.tick(log.roster);

    assertThatThrownBy(() -> service.offer("cart", "k", "late"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("16 shards 'cart'", "[b]", "64 at node 'a'", "count(16)");
    assertThatThrownBy(() -> service.ask("cart", "k", "late", LIMIT))
        .isInstanceOf(IllegalStateException.class);
    assertThat(service.failed()).isEqualTo(1); // the early one
    assertThat(log.submitted.stream().filter(HostShards.class::isInstance))
        .noneMatch(it -> ((HostShards) it).type().equals("cart"));
    assertThat(service.ask("other", "k", "fine", LIMIT).get(1, TimeUnit.MINUTES)).isEqualTo("fine");
  }

  /// The processes of the runtime, whose callbacks run elsewhere.
  private static LocalProcesses with(LocalProcesses local, RetryingExecutor callbacks) {
    return (LocalProcesses)
        Proxy.newProxyInstance(
            LocalProcesses.class.getClassLoader(),
            new Class<?>[] {LocalProcesses.class},
            (_, method, arguments) ->
                method.getName().equals("callbacks") ? callbacks : method.invoke(local, arguments));
  }

  @Test
  void entity_forWhichNoThreadCanBeMade_isStartedWhenThereIsOne() throws Exception {
    LocalProcesses local = LocalProcesses.of(runtime);
    AtomicInteger failures = new AtomicInteger(2);
    Deque<Runnable> retries = new ArrayDeque<>();
    RetryingExecutor starved =
        new RetryingExecutor(
            task -> {
              if (failures.getAndDecrement() > 0) {
                throw new OutOfMemoryError("no thread");
              }
              local.callbacks().execute(task);
            },
            null,
            retry -> () -> retries.add(retry),
            System::nanoTime);
    ShardService poor =
        new ShardService(
            self,
            with(local, starved),
            log,
            new MessageWriter(MessageTypes.of(List.of(), List.of()), self),
            _ -> null,
            _ -> ShardMessageCodec.VERSION);
    poor.open("cart", use(4), Entry.of(ShardServiceTest::echo));
    log.admit("a", poor);
    log.give("a", "cart", 4, poor);
    poor.tick(log.roster);
    CompletableFuture<Object> reply = poor.ask("cart", "k", "fine", LIMIT);
    retries.remove().run();
    assertThat(failures.get()).isZero();
    assertThat(reply).isNotDone();
    retries.remove().run();
    assertThat(reply.get(1, TimeUnit.MINUTES)).isEqualTo("fine");
    poor.close();
  }

  @Test
  void type_withAnotherCount_isRefusedWhenItIsOpened_onceTheLogIsKnown() {
    log.admit("a", service);
    log.admit("b", service);
    log.host("b", "cart", 16, service);
    service.tick(log.roster);

    assertThatThrownBy(() -> service.open("cart", use(64), null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("16 shards 'cart'", "[b]", "64 at node 'a'");
    service.open("cart", use(16), null);
  }

  @Test
  void entry_costsWhatItChanges() {
    log.admit("a", service);
    AtomicInteger touched = new AtomicInteger(); // shards
    EntityType type = new EntityType("cart", 4_096, null, 0, new Counting(touched));
    log.give("a", "cart", 4_096, service);
    ShardTable table = log.roster.shards();
    type.applied(table, table.changedSince(0));
    assertThat(touched).hasValue(4_096); // it has seen none before
    long seen = table.changes();

    log.admit("a", service);
    type.applied(table, table.changedSince(seen));
    assertThat(touched).hasValue(4_096);

    log.admit("b", service);
    log.host("b", "cart", 4_096, service);
    long latest = table.state("cart", 7).latest();
    log.write(new AssignShards("cart", List.of(new Assignment(7, latest, "b"))), service);
    type.applied(table, table.changedSince(seen));
    assertThat(touched).hasValue(4_097);

    for (int i = 0; i < 100; i++) {
      type.tick(); // nothing is due
    }
    assertThat(touched).hasValue(4_097);
    assertThat(type.offer(new EntityMessage("d", "k", 0, "held", 10))) // no session with its owner
        .isEqualTo(SendResult.UNREACHABLE);
    type.tick();
    assertThat(touched).hasValue(4_098);
  }

  /// Counts how often something was done under the lock of a shard.
  private record Counting(AtomicInteger touched) implements EntityType.Node {
    @Override
    public String self() {
      return "d"; // it owns nothing
    }

    @Override
    public boolean isInSession(String node) {
      return false;
    }

    @Override
    public SendResult send(String node, String type, int shard, ShardMessage.Deliver message) {
      return SendResult.UNREACHABLE;
    }

    @Override
    public void post(String node, String type, int shard, ShardMessage message) {}

    @Override
    public boolean hasRoom(String node) {
      return true;
    }

    @Override
    public void release(String type, int shard, long next) {}

    @Override
    public boolean mayAct(long admission) {
      return false;
    }

    @Override
    public long nextEntity() {
      return 1;
    }

    @Override
    public LocalEntity entity(
        long number, int shard, EntityId id, Process process, StartOptions options) {
      throw new IllegalStateException("it owns no " + id);
    }

    @Override
    public void failed(EntityMessage of, Failure why, @Nullable String cause, String type) {}

    @Override
    public EntityAsks asks() {
      throw new IllegalStateException("there are no requests");
    }

    @Override
    public IncomingAsks incoming() {
      throw new IllegalStateException("there are no requests");
    }

    @Override
    public HeldBytes held() {
      throw new IllegalStateException("nothing is held");
    }

    @Override
    public void carryOut() {
      touched.incrementAndGet();
    }

    @Override
    public long nanos() {
      return 0;
    }
  }

  @Test
  void withoutALease_nothingIsSent_andThoseWhoWaitAreWoken() {
    service.open("cart", use(4), Entry.of(ShardServiceTest::echo));
    assertThatThrownBy(() -> service.offer("cart", "k", 1))
        .isInstanceOf(NoQuorumException.class)
        .hasMessageContainingAll("'k' of 'cart'", "node 'a'", "has not got a lease");
    log.admit("a", service);
    while (service.offer("cart", "k", 1).isAccepted()) {
      // it has no owner
    }
    CompletableFuture<?> room = service.room("cart", "k");
    service.tick(log.roster);
    assertThat(room).isNotDone();

    log.hasLease = false;
    service.tick(log.roster);

    assertThat(room).isDone();
    assertThatThrownBy(() -> service.ask("cart", "k", 1, LIMIT))
        .isInstanceOf(NoQuorumException.class)
        .hasMessageContaining("holds no lease");
  }

  @Test
  @Tag("C9")
  void entityWhoseMailboxIsFull_refusesMore_andThoseWhoWaitGoOnWhenItHasTakenSome()
      throws Exception {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    log.admit("a", service);
    service.open(
        "cart",
        use(1),
        Entry.of(() ->
            CoroutineProcess.ofAction(self -> {
              while (true) {
                var _ = self.receive();
                var _ = gate.get(1, TimeUnit.MINUTES);
              }
            })));
    log.give("a", "cart", 1, service);
    int accepted = 0;
    while (service.offer("cart", "k", 1).isAccepted()) {
      accepted++;
    }
    assertThat(accepted).isBetween(1_000, 1_040); // those it has taken do not count
    CompletableFuture<?> room = service.room("cart", "k");
    service.tick(log.roster);
    assertThat(room).isNotDone();

    gate.complete(null);

    assertThat(room.get(1, TimeUnit.MINUTES)).isNull();
    assertThat(service.offer("cart", "k", 1).isAccepted()).isTrue();
    assertThat(service.failed()).isZero();
  }

  @Test
  @Tag("C5")
  void request_toAnEntityThatCannotBegin_failsWithItsCause() {
    log.admit("a", service);
    service.open(
        "cart",
        use(1),
        Entry.of(() -> {
          throw new IllegalStateException("no database");
        }));
    log.give("a", "cart", 1, service);

    CompletableFuture<?> answer = service.ask("cart", "k", 1, LIMIT);

    assertThatThrownBy(() -> answer.get(1, TimeUnit.MINUTES))
        .cause()
        .hasMessageContainingAll("'k' of 'cart'", "ENTITY_FAILED", "no database");
  }

  @Test
  void leave_ofTheOnlyHost_orWithoutALease_waitsForNobody() {
    assertThat(service.leave()).isDone(); // it has nothing
    log.admit("a", service);
    service.open("cart", use(4), Entry.of(ShardServiceTest::echo));
    log.give("a", "cart", 4, service);
    CompletableFuture<?> left = service.leave();
    service.tick(log.roster);
    assertThat(left).isDone();
  }
}
