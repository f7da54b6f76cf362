// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.EntityId;
import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.name.RosterAccess;
import dev.heddle.cluster.peer.Entry;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Command.AssignShards;
import dev.heddle.cluster.roster.Command.Assignment;
import dev.heddle.cluster.roster.Command.HostShards;
import dev.heddle.cluster.roster.Command.Renew;
import dev.heddle.cluster.roster.Roster;
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
import java.time.Duration;
import java.util.ArrayList;
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
@Timeout(120)
class ShardServiceTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final ProcessRuntime runtime =
      ProcessRuntime.builder().workers(1).node("a").host("main").start();
  private final Roster roster = new Roster();
  private final List<Command> submitted = new ArrayList<>();
  private boolean mayAct;
  private final NodeLife self =
      new NodeLife("a", "main", LocalProcesses.of(runtime).address(0).incarnation());
  private final ShardService service =
      new ShardService(
          self,
          LocalProcesses.of(runtime),
          new Log(),
          new MessageWriter(MessageTypes.of(List.of(), List.of()), self),
          _ -> null,
          _ -> ShardMessageCodec.VERSION);

  private final class Log implements RosterAccess {
    @Override
    public void submit(Command command) {
      submitted.add(command);
    }

    @Override
    public long admission() {
      return roster.admission("a", self.life());
    }

    @Override
    public boolean mayAct(long admission) {
      return mayAct && admission != 0 && admission == admission();
    }

    @Override
    public void add(Part part) {
      throw new UnsupportedOperationException("the test calls it");
    }
  }

  @AfterEach
  void close() {
    service.close();
    runtime.close();
  }

  private void apply(Command command) {
    var _ = roster.apply(roster.applied() + 1, command);
    service.applied(roster);
  }

  private void admit(String node, int life) {
    apply(new Renew(node, life, null));
    mayAct = true;
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

  /// The log has these shards, and node `a` all of them.
  private void own(String type, int count) {
    apply(new HostShards("a", roster.admission("a", self.life()), type, count, true));
    List<Assignment> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(new Assignment(i, 0, "a"));
    }
    apply(new AssignShards(type, all));
  }

  @Test
  @Tag("C6")
  void type_withAnotherCountThanTheLogs_isRefusedAtTheCaller_andTheLogGoesOn() throws Exception {
    admit("a", self.life());
    service.open("cart", use(64), Entry.of(ShardServiceTest::echo)); // before the log is known
    service.open("other", use(4), Entry.of(ShardServiceTest::echo));
    assertThat(service.offer("cart", "k", "early").isAccepted()).isTrue();
    admit("b", 5);
    apply(new HostShards("b", roster.admission("b", 5), "cart", 16, true));
    apply(new AssignShards("cart", List.of(new Assignment(3, 0, "b"))));
    own("other", 4);
    service.tick(roster);

    assertThatThrownBy(() -> service.offer("cart", "k", "late"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("16 shards 'cart'", "[b]", "64 at node 'a'", "count(16)");
    assertThatThrownBy(() -> service.ask("cart", "k", "late", LIMIT))
        .isInstanceOf(IllegalStateException.class);
    assertThat(service.failed()).isEqualTo(1); // the early one
    assertThat(submitted.stream().filter(HostShards.class::isInstance))
        .noneMatch(it -> ((HostShards) it).type().equals("cart"));
    assertThat(service.ask("other", "k", "fine", LIMIT).get(1, TimeUnit.MINUTES)).isEqualTo("fine");
  }

  @Test
  void type_withAnotherCount_isRefusedWhenItIsOpened_onceTheLogIsKnown() {
    admit("a", self.life());
    admit("b", 5);
    apply(new HostShards("b", roster.admission("b", 5), "cart", 16, true));
    service.tick(roster);

    assertThatThrownBy(() -> service.open("cart", use(64), null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("16 shards 'cart'", "[b]", "64 at node 'a'");
    service.open("cart", use(16), null);
  }

  @Test
  void entry_costsWhatItChanges() {
    admit("a", self.life());
    AtomicInteger touched = new AtomicInteger(); // shards
    EntityType type = new EntityType("cart", 4_096, null, 0, new Counting(touched));
    own("cart", 4_096);
    ShardTable table = roster.shards();
    type.applied(table, table.changedSince(0));
    assertThat(touched).hasValue(4_096); // it has seen none before
    long seen = table.changes();

    apply(new Renew("a", self.life(), null));
    type.applied(table, table.changedSince(seen));
    assertThat(touched).hasValue(4_096);

    admit("b", 5);
    apply(new HostShards("b", roster.admission("b", 5), "cart", 4_096, true));
    long latest = table.state("cart", 7).latest();
    apply(new AssignShards("cart", List.of(new Assignment(7, latest, "b"))));
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
    admit("a", self.life());
    while (service.offer("cart", "k", 1).isAccepted()) {
      // it has no owner
    }
    CompletableFuture<?> room = service.room("cart", "k");
    service.tick(roster);
    assertThat(room).isNotDone();

    mayAct = false;
    service.tick(roster);

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
    admit("a", self.life());
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
    own("cart", 1);
    int accepted = 0;
    while (service.offer("cart", "k", 1).isAccepted()) {
      accepted++;
    }
    assertThat(accepted).isBetween(1_000, 1_040); // those it has taken do not count
    CompletableFuture<?> room = service.room("cart", "k");
    service.tick(roster);
    assertThat(room).isNotDone();

    gate.complete(null);

    assertThat(room.get(1, TimeUnit.MINUTES)).isNull();
    assertThat(service.offer("cart", "k", 1).isAccepted()).isTrue();
    assertThat(service.failed()).isZero();
  }

  @Test
  @Tag("C5")
  void request_toAnEntityThatCannotBegin_failsWithItsCause() {
    admit("a", self.life());
    service.open(
        "cart",
        use(1),
        Entry.of(() -> {
          throw new IllegalStateException("no database");
        }));
    own("cart", 1);

    CompletableFuture<?> answer = service.ask("cart", "k", 1, LIMIT);

    assertThatThrownBy(() -> answer.get(1, TimeUnit.MINUTES))
        .cause()
        .hasMessageContainingAll("'k' of 'cart'", "ENTITY_FAILED", "no database");
  }

  @Test
  void leave_ofTheOnlyHost_orWithoutALease_waitsForNobody() {
    assertThat(service.leave()).isDone(); // it has nothing
    admit("a", self.life());
    service.open("cart", use(4), Entry.of(ShardServiceTest::echo));
    own("cart", 4);
    CompletableFuture<?> left = service.leave();
    service.tick(roster);
    assertThat(left).isDone();
  }
}
