// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.roster.Command.AssignShards;
import dev.heddle.cluster.roster.Command.Assignment;
import dev.heddle.cluster.roster.Command.HostShards;
import dev.heddle.cluster.roster.Command.Leave;
import dev.heddle.cluster.roster.Command.Lost;
import dev.heddle.cluster.roster.Command.Release;
import dev.heddle.cluster.roster.Command.ReleaseShards;
import dev.heddle.cluster.roster.Command.Renew;
import dev.heddle.cluster.roster.Command.WithdrawHost;
import dev.heddle.cluster.roster.Outcome.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Who owns a shard, and what [ShardPlan] changes.
class ShardTableTest {
  private static final long SECOND = 1_000_000_000L;

  private final Roster roster = new Roster();
  private long index;

  private Outcome apply(Command command) {
    index++;
    return roster.apply(
        index, RosterCodec.RELEASE.decodeCommand(RosterCodec.RELEASE.encode(command)));
  }

  private long host(String node) {
    long admission = ((Outcome.Admitted) apply(new Renew(node, 7, null))).admission();
    apply(new HostShards(node, admission, "cart", 64, true));
    return admission;
  }

  /// @return the index of the entry
  private long assign(int shard, long latest, String to) {
    apply(new AssignShards("cart", List.of(new Assignment(shard, latest, to))));
    return index;
  }

  private void release(String node, long admission, long next) {
    apply(new ReleaseShards(node, admission, "cart", List.of(new Release(0, next))));
  }

  private ShardState state() {
    return roster.shards().state("cart", 0);
  }

  private static ShardState owned(long generation, Holder owner) {
    return new ShardState(generation, owner, null, 0, null);
  }

  @Test
  void owned_countsTheShardsOfEachNode_alsoAfterASnapshot() {
    List<String> changes = new ArrayList<>();
    roster
        .shards()
        .onChange((shard, before, after) ->
            changes.add(shard.shard() + ": " + nodeOf(before) + " to " + nodeOf(after)));
    long a = host("a");
    host("b");
    for (int i = 0; i < 5; i++) {
      assign(i, 0, i < 3 ? "a" : "b");
    }
    assertThat(roster.shards().owned()).containsEntry("a", 3).containsEntry("b", 2);
    long next = assign(0, state().latest(), "b");
    assertThat(roster.shards().owned()).as("it has not released it").containsEntry("a", 3);
    release("a", a, next);
    assertThat(roster.shards().owned()).containsEntry("a", 2).containsEntry("b", 3);
    assertThat(changes).startsWith("0: none to a").endsWith("0: a to a", "0: a to b");

    Roster copy = RosterCodec.RELEASE.restore(RosterCodec.RELEASE.snapshot(roster));
    assertThat(copy.shards().owned()).isEqualTo(roster.shards().owned());
    apply(new Leave("a", a));
    assertThat(roster.shards().owned()).containsEntry("a", 0).containsEntry("b", 3);
    assertThat(changes).endsWith("1: a to none", "2: a to none");
  }

  private static String nodeOf(ShardState state) {
    return state.owner() == null ? "none" : state.owner().node();
  }

  @Test
  @Tag("C6")
  void shard_thatMoves_staysItsOwners_untilThatReleasesIt() {
    Holder a = new Holder("a", host("a"));
    Holder b = new Holder("b", host("b"));
    long first = assign(0, 0, "a");
    assertThat(state()).isEqualTo(owned(first, a));

    long next = assign(0, first, "b");
    assertThat(state()).isEqualTo(new ShardState(first, a, null, next, b));
    release("b", b.admission(), next); // not its own
    release("a", a.admission() + 1, next); // of another admission
    release("a", a.admission(), next + 1); // of another move
    assertThat(state().owner()).isEqualTo(a);
    release("a", a.admission(), next);
    assertThat(state()).isEqualTo(new ShardState(next, b, a, 0, null));

    apply(new Leave("a", a.admission()));
    assertThat(state()).isEqualTo(owned(next, b));
  }

  @Test
  @Tag("C6")
  void assignment_decidedByAnEarlierGeneration_orToANodeThatIsNoHost_isVoid() {
    long a = host("a");
    long b = host("b");
    long first = assign(0, 0, "a");

    assign(0, 0, "b");
    assign(0, first, "c");
    assign(0, first, "a");
    apply(new WithdrawHost("b", b));
    apply(new HostShards("b", b, "cart", 64, true)); // late
    assign(0, first, "b");

    assertThat(state()).isEqualTo(owned(first, new Holder("a", a)));
  }

  @Test
  @Tag("C6")
  void owner_thatIsLostWhileItsShardMoves_isSucceeded_andNothingIsHandedOver() {
    long a = host("a");
    Holder b = new Holder("b", host("b"));
    long next = assign(0, assign(0, 0, "a"), "b");

    apply(new Lost("a", 7, a));

    assertThat(state()).isEqualTo(owned(next, b));
  }

  @Test
  @Tag("C6")
  void successor_thatIsLost_isReplaced_andThatMayBeTheOwner() {
    Holder a = new Holder("a", host("a"));
    long b = host("b");
    long first = assign(0, 0, "a");
    long next = assign(0, first, "b");

    apply(new Lost("b", 7, b));
    release("a", a.admission(), next); // it has nobody to release it for
    assertThat(state()).isEqualTo(new ShardState(first, a, null, next, null));
    long later = assign(0, next, "a");
    release("a", a.admission(), later);

    assertThat(state()).isEqualTo(new ShardState(later, a, a, 0, null));
  }

  @Test
  void type_withAnotherCount_isRefused() {
    long a = host("a");

    assertThat(apply(new HostShards("a", a, "cart", 32, true)))
        .isEqualTo(new Outcome.Refused(Reason.SHARD_COUNT));
    assertThatThrownBy(() -> new HostShards("a", a, "cart", 0, true))
        .hasMessageContaining("'cart' has 0");
  }

  @Test
  void snapshot_hasTheShards_andCutOffItIsRefused() {
    host("a");
    long b = host("b");
    assign(0, assign(0, 0, "a"), "b");
    apply(new WithdrawHost("b", b));
    byte[] snapshot = RosterCodec.RELEASE.snapshot(roster);

    Roster restored = RosterCodec.RELEASE.restore(snapshot);
    assertThat(restored.shards().state("cart", 0)).isEqualTo(state());
    assertThat(RosterCodec.RELEASE.snapshot(restored)).isEqualTo(snapshot);
    for (int length = 0; length < snapshot.length; length += 7) {
      byte[] cut = Arrays.copyOf(snapshot, length);
      assertThatThrownBy(() -> RosterCodec.RELEASE.restore(cut))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  // ---- the plan ----

  private final ShardPlan plan = new ShardPlan();

  private List<Assignment> due(long nanos) {
    List<Assignment> all = new ArrayList<>();
    plan.poll(roster.shards(), "a", nanos).forEach(it -> all.addAll(it.assignments()));
    return all;
  }

  private void carryOut(List<Assignment> changes) {
    apply(new AssignShards("cart", changes));
  }

  @Test
  void plan_waitsUntilTheHostsHaveNotChangedForTwoSeconds() {
    host("a");
    assertThat(due(0)).isEmpty();
    host("b");
    assertThat(due(2 * SECOND)).isEmpty();
    assertThat(due(4 * SECOND - 1)).isEmpty();

    assertThat(plan.poll(roster.shards(), "b", 4 * SECOND)).isEmpty(); // not the first
    List<Assignment> changes = due(4 * SECOND);

    assertThat(changes).hasSize(64);
    assertThat(changes.stream().map(Assignment::to).distinct()).containsExactlyInAnyOrder("a", "b");
    assertThat(due(5 * SECOND - 1)).isEmpty(); // it may be on its way
    assertThat(due(5 * SECOND)).isEqualTo(changes);
    carryOut(changes);
    assertThat(due(7 * SECOND)).isEmpty();
  }

  @Test
  void plan_movesAtMost16ShardsOfANodeAtATime() {
    long a = host("a");
    assertThat(due(0)).isEmpty();
    carryOut(due(2 * SECOND));
    host("b");
    assertThat(due(3 * SECOND)).isEmpty();

    List<Assignment> changes = due(5 * SECOND);
    assertThat(changes).hasSize(16).allMatch(it -> it.to().equals("b"));
    carryOut(changes);
    assertThat(due(7 * SECOND)).isEmpty();
    int shard = changes.getFirst().shard();
    apply(new ReleaseShards("a", a, "cart", List.of(new Release(shard, index))));

    assertThat(due(8 * SECOND)).hasSize(1);
  }

  @Test
  void plan_movesTheShardsOfANodeThatLeaves_atOnce() {
    host("a");
    long b = host("b");
    assertThat(due(0)).isEmpty();
    carryOut(due(2 * SECOND));
    assertThat(due(3 * SECOND)).isEmpty();

    apply(new WithdrawHost("b", b));

    assertThat(due(3 * SECOND + 1)).hasSize(16).allMatch(it -> it.to().equals("a"));
  }

  @Test
  void plan_goesOnAsSoonAsShardsHaveMoved_andLooksAtNothingWithoutAChange() {
    long a = host("a");
    assertThat(due(0)).isEmpty();
    carryOut(due(2 * SECOND));
    host("b");
    assertThat(due(3 * SECOND)).isEmpty();
    List<Assignment> first = due(5 * SECOND);
    carryOut(first);
    assertThat(due(5 * SECOND + 1)).isEmpty();
    apply(new ReleaseShards("a", a, "cart", List.of(new Release(first.getFirst().shard(), index))));

    assertThat(due(5 * SECOND + 2)).hasSize(1);
  }

  // ---- those who follow it ----

  @Test
  void changes_areThoseSinceACount_orAll() {
    host("a");
    ShardTable table = roster.shards();
    assertThat(table.changedSince(0)).isEmpty();
    assign(3, 0, "a");
    long seen = table.changes();
    apply(new Renew("a", 7, null));
    assertThat(table.changedSince(seen)).isEmpty();
    assign(5, 0, "a");
    assign(5, 0, "a"); // void

    assertThat(table.changedSince(seen)).containsExactly(new ShardTable.ShardId("cart", 5));
    assertThat(table.changedSince(0)).hasSize(2);
    for (int i = 0; i < 5_000; i++) {
      host("a");
      long renewal = index - 1;
      assign(0, table.state("cart", 0).latest(), "a");
      apply(new Command.Lost("a", 7, renewal));
    }
    assertThat(table.changedSince(seen)).isNull();
  }
}
