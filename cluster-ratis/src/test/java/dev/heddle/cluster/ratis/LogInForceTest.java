// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Delta;
import dev.heddle.cluster.roster.LogFormats;
import dev.heddle.cluster.roster.NameStore;
import dev.heddle.cluster.roster.NameStoreProvider.Limits;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.RosterCodec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Which format of the log is in force, at voters of two releases.
@Timeout(300)
@Tag("C6")
class LogInForceTest {
  private static final LogFormats LATER = new LogFormats(3, 4); // than this release
  private static final Limits OFTEN =
      new Limits(Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofSeconds(60), 10);

  @TempDir Path root;

  /// The earlier release wrote what the later one could not read: that one stopped for good.
  @Test
  void logBegunByALaterRelease_keepsItsFormat_whenAnEarlierReleaseLeads() throws IOException {
    begunLater(TestVoters.LIMITS);
  }

  @Test
  void snapshotOfALaterRelease_keepsItsFormat_whenAnEarlierReleaseLeads() throws IOException {
    begunLater(OFTEN);
  }

  private void begunLater(Limits limits) throws IOException {
    try (TestVoters voters = new TestVoters(root, Set.of("a"), limits)) {
      TestVoter later = voters.start("a", LATER);
      voters.renew(later, "a").join();
      voters.registerAll(later, "a", "later", 20);
      voters.end("a");

      TestVoter now = voters.start("a", LogFormats.RELEASE);
      voters.registerAll(now, "a", "now", 20);
      assertThat(now.format()).isEqualTo(3);
      voters.end("a");

      voters.registerAll(voters.start("a", LATER), "a", "again", 3);
      voters.awaitEqual(voters.all());
    }
  }

  /// A voter that was replaced between two tries could not apply it.
  @Test
  void raise_whenAVoterInSessionDoesNotKnowTheFormat_fails() throws IOException {
    try (TestVoters voters = new TestVoters(root).startAll()) {
      voters.renew(voters.leader(), "a").join();
      voters.network.knows("c", 2);
      TestVoter any = voters.get("a");
      assertThatThrownBy(() -> any.store.submit(new Command.Raise(3)).join())
          .isInstanceOf(CompletionException.class)
          .hasMessageContaining("voter 'c' knows the log up to format 2, not 3");
      voters.network.knows("c", 3);
      assertThat(any.store.submit(new Command.Raise(3)).join()).isEqualTo(new Outcome.Done());
    }
  }

  /// A newcomer of the release before was taken in, and stopped at the Raise.
  @Test
  void formatThatIsRaisedInTheLog_countsBeforeItIsApplied_whileThisVoterLeads() throws IOException {
    RosterMachine machine = new RosterMachine(new NoListener(), RosterCodec.RELEASE, 0);
    assertThat(machine.comingFormat()).isEqualTo(2);
    TransactionContext raise = machine.startTransaction(request(new Command.Raise(3)));
    machine.preAppendTransaction(raise);
    assertThat(machine.format()).isEqualTo(2);
    assertThat(machine.comingFormat()).isEqualTo(3);
    machine.notifyNotLeader(List.of());
    assertThat(machine.comingFormat()).isEqualTo(2);

    var _ = machine.startTransaction(request(new Command.Raise(3)));
    assertThat(machine.comingFormat()).as("it is not in the log, and never will be").isEqualTo(2);
  }

  private static RaftClientRequest request(Command command) {
    return RaftClientRequest.newBuilder()
        .setClientId(ClientId.randomId())
        .setServerId(RaftPeerId.valueOf("a#1"))
        .setGroupId(RaftGroupId.randomId())
        .setCallId(1)
        .setType(RaftClientRequest.writeRequestType())
        .setMessage(Message.valueOf(ByteString.copyFrom(RosterCodec.RELEASE.encode(command))))
        .build();
  }

  private static final class NoListener implements NameStore.Listener {
    @Override
    public void applied(Delta delta, Outcome outcome) {}

    @Override
    public void replaced(byte[] snapshot) {}
  }
}
