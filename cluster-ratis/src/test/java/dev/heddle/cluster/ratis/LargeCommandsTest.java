// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Command.AssignShards;
import dev.heddle.cluster.roster.Command.Assignment;
import dev.heddle.cluster.roster.Command.HostShards;
import dev.heddle.cluster.roster.CommandTooLargeException;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.RosterCodec;
import dev.heddle.cluster.roster.ShardPlan;
import dev.heddle.cluster.roster.ShardTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.ratis.protocol.RaftClientReply;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Ratis refuses a large entry in such a way that the leader gives up its lead. A plan that had all
/// shards in one command was refused again each second, and no name was granted any more.
@Tag("C6")
@Timeout(300)
class LargeCommandsTest {
  private static final long SETTLED_NANOS = 2_000_000_000L;
  private static final int REFUSALS = 20;
  private static final int ROUNDS = 10;

  @TempDir Path root;

  /// In the format before, each shard has the name of its node in the log, so that is shorter here.
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void allShards_getOwners_whateverTheNames_andNamesAreGrantedBeforeAndAfter(int format)
      throws IOException {
    int length = format == 2 ? 60 : 1_000;
    List<String> hosts =
        List.of("a", "b", "c").stream().map(it -> it + "x".repeat(length)).toList();
    try (TestVoters voters = new TestVoters(root).startAll()) {
      TestVoter at = voters.follower(); // what it submits goes to the leader
      if (format == 3) {
        assertThat(at.store.submit(new Command.Raise(3)).join()).isEqualTo(new Outcome.Done());
      }
      for (String host : hosts) {
        var admission = ((Outcome.Admitted) voters.renew(at, host).join()).admission();
        at.store.submit(new HostShards(host, admission, "cart", HostShards.MOST, true)).join();
      }
      voters.registerAll(at, hosts.getFirst(), "before", 3);

      assignAll(at, hosts.getFirst());

      voters.registerAll(at, hosts.getFirst(), "after", 3);
      voters.awaitEqual(voters.all());
      for (TestVoter voter : voters.all()) {
        assertThat(voter.<Boolean>shards(LargeCommandsTest::isAllOwned)).isTrue();
        assertThat(voter.format()).isEqualTo(format);
      }
    }
  }

  /// As the first host does, in its own time.
  private static void assignAll(TestVoter at, String first) {
    ShardPlan plan = new ShardPlan();
    at.shards(table -> plan.poll(table, first, 0));
    TestVoters.await(
        "owners of all shards",
        () -> {
          List<AssignShards> due = at.shards(table -> plan.poll(table, first, SETTLED_NANOS));
          due.forEach(it -> assertThat(at.store.submit(it).join()).isEqualTo(new Outcome.Done()));
          return due.isEmpty() && at.<Boolean>shards(LargeCommandsTest::isAllOwned);
        });
  }

  private static boolean isAllOwned(ShardTable table) {
    return table.count("cart") == HostShards.MOST
        && IntStream.range(0, HostShards.MOST)
            .noneMatch(i -> table.state("cart", i).owner() == null);
  }

  private static AssignShards tooLarge() {
    List<Assignment> all = new ArrayList<>();
    for (int i = 0; i < HostShards.MOST; i++) {
      all.add(new Assignment(i, 0, "a"));
    }
    return new AssignShards("cart", all);
  }

  @Test
  void command_thatIsTooLarge_isRefusedAtItsNode() throws IOException {
    try (TestVoters voters = new TestVoters(root, Set.of("a"), TestVoters.LIMITS).startAll()) {
      TestVoter leader = voters.leader();
      assertThatThrownBy(() -> leader.store.submit(tooLarge()).join())
          .cause()
          .isInstanceOf(CommandTooLargeException.class)
          .hasMessageContaining(
              "the command that gives 65536 shards 'cart' to nodes has 1,048,595 bytes")
          .hasMessageContaining("at most 523,264");
    }
  }

  /// As a node of another release sends it. A machine that stands still for long costs the lead,
  /// too, so there are some rounds.
  @Test
  void command_thatIsTooLarge_andComesToTheLeader_isRefusedThere_andTheLeaderStays()
      throws IOException {
    try (TestVoters voters = new TestVoters(root, Set.of("a"), TestVoters.LIMITS).startAll()) {
      byte[] bytes = RosterCodec.RELEASE.encode(tooLarge());
      TestVoter leader = voters.leader();
      voters.renew(leader, "a").join();
      boolean hasStayed = false;
      for (int round = 0; round < ROUNDS && !hasStayed; round++) {
        TestVoters.await("a leader", leader.store::isLeader);
        long term = leader.store.term();
        refuse(leader, bytes, round);
        voters.registerAll(leader, "a", "round" + round + "-", 3);
        hasStayed = term != 0 && leader.store.term() == term;
      }
      assertThat(hasStayed).as("one who leads goes on to lead").isTrue();
    }
  }

  private static void refuse(TestVoter leader, byte[] bytes, int round) {
    for (int i = 0; i < REFUSALS; i++) {
      long number = Long.MAX_VALUE / 2 + (long) round * REFUSALS + i; // of no other request
      RaftVoter voter = leader.store.voter();
      RaftClientReply reply = voter.request(voter.write(null, number, bytes)).join();
      assertThat(reply.isSuccess()).isFalse();
      if (reply.getNotLeaderException() == null) { // else the machine has stood still
        assertThat(reply.getException())
            .hasMessageContaining(
                "the command that gives 65536 shards 'cart' to nodes has 983,052 bytes");
      }
    }
  }
}
