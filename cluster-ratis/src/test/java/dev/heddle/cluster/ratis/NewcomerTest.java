// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// When a voter that was taken in counts as one.
@Tag("C6")
@Timeout(300)
final class NewcomerTest {
  @TempDir Path root;

  /// The others had agreed to it, and were told that one of them may end: then nobody was elected.
  @Test
  void voterThatHasNotHeardThatItVotes_isNoVoterYet() throws IOException {
    try (TestVoters voters = new TestVoters(root).startAll()) {
      TestVoter leader = voters.leader();
      TestVoter lost = voters.others(leader).getFirst();
      voters.renew(leader, "a").join();
      TestVoter empty = voters.startWithoutItsDisk(lost);
      List<TestVoter> others = voters.others(empty); // either may lead, on a slow machine
      voters.network.atEachPacket(() -> {
        if (others.stream().anyMatch(it -> it.store.voter().isAmongVoters(empty.id()))) {
          voters.network.cutOff(empty.node);
        }
      });
      TestVoters.await(
          "the others have agreed",
          () -> others.stream().anyMatch(it -> isInForce(it, empty.id())));
      assertThat(others).noneMatch(it -> it.hasVoter(empty.id()));

      voters.network.atEachPacket(() -> {});
      voters.network.heal();
      TestVoters.await("it votes", () -> leader.hasVoter(empty.id()));
      voters.end(leader.node);
      TestVoters.await(
          "it elects another leader",
          () -> {
            RaftPeerId now = empty.store.voter().leader();
            return now != null && !now.toString().equals(leader.id());
          });
    }
  }

  private static boolean isInForce(TestVoter leader, String newcomer) {
    try {
      RaftServer.Division division = leader.store.voter().division();
      RaftConfiguration now = division.getRaftConf();
      return leader.store.voter().isAmongVoters(newcomer)
          && now.getPreviousPeers().isEmpty()
          && now.getLogEntryIndex() <= division.getInfo().getLastAppliedIndex();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
