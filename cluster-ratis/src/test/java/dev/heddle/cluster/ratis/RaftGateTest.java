// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.NameStoreProvider.Limits;
import dev.heddle.cluster.roster.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Four nodes race for names while voters are isolated, killed and started again from their disks.
@Tag("C6")
class RaftGateTest {
  @TempDir Path root;

  @Test
  @Timeout(600)
  void fiveRounds_grantNothingTwice_loseNothing_andGoOn() throws Exception {
    run(5, 1);
  }

  @Test
  @Tag("full")
  @Timeout(3600)
  void hundredRounds_grantNothingTwice_loseNothing_andGoOn() throws Exception {
    run(100, Long.getLong("heddle.seed", System.nanoTime()));
  }

  private void run(int rounds, long seed) throws Exception {
    try (GateVoters voters = new InOneJvm(root)) {
      new RaftGate(voters, seed).run(rounds);
    }
  }

  private static final class InOneJvm implements GateVoters {
    private static final Limits LIMITS =
        new Limits(Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofSeconds(3), 60);

    private final TestVoters voters;

    InOneJvm(Path root) throws IOException {
      voters = new TestVoters(root, TestVoters.NAMES, LIMITS).startAll();
    }

    @Override
    public List<String> names() {
      return List.of("a", "b", "c");
    }

    @Override
    public CompletableFuture<Outcome> submit(String voter, Command command) {
      TestVoter to = voters.get(voter);
      return to == null
          ? CompletableFuture.failedFuture(new IOException(voter + " does not run"))
          : to.store.submit(command);
    }

    @Override
    public boolean leads(String voter) {
      TestVoter it = voters.get(voter);
      return it != null && it.store.isLeader();
    }

    @Override
    public byte[] state(String voter) {
      return voters.get(voter).state();
    }

    @Override
    public void isolate(String voter) {
      voters.network.cutOff(voter);
    }

    @Override
    public void heal() {
      voters.network.heal();
    }

    @Override
    public void kill(String voter) {
      voters.end(voter);
    }

    @Override
    public void start(String voter) throws IOException {
      voters.start(voter);
    }

    @Override
    public boolean pause(String voter) {
      return false; // then it is isolated
    }

    @Override
    public void resume(String voter) {
      throw new AssertionError("none was paused");
    }

    @Override
    public String describe() {
      return "";
    }

    @Override
    public void close() {
      voters.close();
    }
  }
}
