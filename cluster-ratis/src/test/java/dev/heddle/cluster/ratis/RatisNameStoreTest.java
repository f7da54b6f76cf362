// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.roster.NameStoreProvider.Limits;
import dev.heddle.cluster.roster.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.TimeDuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Each test has voters and a network of its own, and mostly waits for them: some run at a time.
@Tag("C6")
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class RatisNameStoreTest {
  private static final int SUFFIX = 20; // entries
  private static final Limits SNAPSHOT_EACH_50 =
      new Limits(
          TestVoters.LIMITS.election(), TestVoters.LIMITS.call(), TestVoters.LIMITS.submit(), 50);

  @TempDir Path root;

  @Test
  @Tag("proc-200")
  void threeVoters_grantANameOnce_whereverItIsAsked() throws IOException {
    try (TestVoters voters = new TestVoters(root).startAll()) {
      List<TestVoter> all = new ArrayList<>(voters.all());
      for (TestVoter voter : all) {
        assertThat(voters.renew(voter, voter.node).join()).isInstanceOf(Outcome.Admitted.class);
      }
      List<Outcome> outcomes =
          all.stream().map(voter -> voters.register(voter, voter.node, "mayor")).toList().stream()
              .map(CompletableFuture::join)
              .toList();

      assertThat(outcomes).filteredOn(Outcome.Registered.class::isInstance).hasSize(1);
      assertThat(outcomes).filteredOn(Outcome.Taken.class::isInstance).hasSize(2);
      voters.awaitEqual(all);
    }
  }

  @Test
  void oneVoter_isAMajority() throws IOException {
    try (TestVoters voters = new TestVoters(root, Set.of("a"), TestVoters.LIMITS).startAll()) {
      voters.renew(voters.get("a"), "a").join();
      voters.registerAll(voters.get("a"), "a", "n", 3);
      voters.awaitEqual(voters.all());
    }
  }

  @Test
  @Tag("proc-199")
  void barrier_atAnotherVoter_seesWhatWasAcknowledged() throws IOException {
    try (TestVoters voters = new TestVoters(root).startAll()) {
      TestVoter leader = voters.leader();
      voters.renew(leader, "a").join();
      for (int i = 0; i < 20; i++) {
        voters.registerAll(leader, "a", "n" + i + "-", 1);
        TestVoter other = voters.others(leader).get(i % 2);
        long applied = other.store.barrier().join();

        assertThat(other.owner("n" + i + "-0")).isNotNull();
        assertThat(applied).isGreaterThanOrEqualTo(voters.tokens.get("n" + i + "-0"));
      }
    }
  }

  /// Ratis asks nobody before it answers a second read at one index, so a leader that was cut off
  /// said that nobody owns a name, after the next leader had granted it.
  @Test
  @Tag("proc-199")
  void barrier_atALeaderThatIsCutOff_waitsForWhatTheNextOneHasAcknowledged() throws IOException {
    try (TestVoters voters = new TestVoters(root).startAll()) {
      TestVoter old = voters.leader();
      voters.renew(old, "a").join();
      voters.registerAll(old, "a", "before", 1);
      var log = old.store.voter().division().getRaftLog();
      TestVoters.await( // Ratis puts an entry of its own after each of ours
          "the last entry", () -> log.getLastCommittedIndex() == log.getNextIndex() - 1);
      old.store.barrier().join();
      voters.network.cutOff(old.node);
      CompletableFuture<Long> early = old.store.barrier();
      TestVoter next = voters.leader(voters.others(old));
      voters.registerAll(next, "a", "after", 1);
      CompletableFuture<Long> late = old.store.barrier();
      TestVoters.await("the end of the old lead", () -> !old.store.isLeader());
      assertThat(early).as("nobody else has said that it leads").isNotDone();
      assertThat(late).as("another one leads").isNotDone();
      voters.network.heal();

      assertThat(late.join()).isGreaterThanOrEqualTo(voters.tokens.get("after0"));
      assertThat(old.owner("after0")).isNotNull();
    }
  }

  /// A leader that has noted a renewal without the log, of node a.
  private static TestVoter leaderThatRenews(TestVoters voters) {
    for (TestVoter leader = voters.leader(); ; leader = voters.leader()) {
      voters.renew(leader, "a").join();
      if (leader.noted() > 0) {
        return leader;
      }
    }
  }

  /// A leader that was cut off renewed leases for some seconds more, and the next one, which counts
  /// from its election, knew nothing of that: two owners of a name.
  @Test
  void renewal_atALeaderThatIsCutOff_isNotAnswered() throws IOException {
    try (TestVoters voters = new TestVoters(root).startAll()) {
      TestVoter old = leaderThatRenews(voters);
      voters.network.cutOff(old.node);
      int noted = old.noted();
      CompletableFuture<Outcome> early = voters.renew(old, "a");
      voters.leader(voters.others(old));
      CompletableFuture<Outcome> late = voters.renew(old, "a");
      TestVoters.await("the end of the old lead", () -> !old.store.isLeader());
      assertThat(old.noted()).isEqualTo(noted);
      assertThat(List.of(early, late)).allSatisfy(it -> assertThat(it).isNotDone());

      voters.network.heal();
      assertThat(early.join()).isInstanceOf(Outcome.Admitted.class);
      assertThat(late.join()).isInstanceOf(Outcome.Admitted.class);
    }
  }

  @Test
  void renewals_whereverTheyAreAsked_areNotedAtTheLeader_andAreNoEntries() throws IOException {
    try (TestVoters voters = new TestVoters(root).startAll()) {
      TestVoters.await( // the first ones in a term are entries, as are those that are late
          "renewals without an entry",
          () -> {
            TestVoter leader = voters.leader();
            int noted = leader.noted();
            long applied = leader.applied();
            voters.all().forEach(it -> voters.renew(it, it.node).join());
            return leader.noted() == noted + 3 && leader.applied() == applied;
          });
      voters.registerAll(voters.follower(), "a", "n", 1); // by the admission that was told
    }
  }

  /// The agent counts the renewals that have no answer yet, and waited for this one for ever when
  /// its node left.
  @Test
  void renewal_thatCannotBeSentToTheLeader_isMadeByTheLog() throws IOException {
    try (TestVoters voters = new TestVoters(root).startAll()) {
      Thread agent = Thread.currentThread();
      TestVoter other = voters.follower();
      voters.network.atEachLook(() -> {
        if (Thread.currentThread() == agent) {
          throw new IllegalStateException("on purpose");
        }
      });
      assertThat(voters.renew(other, "a").join()).isInstanceOf(Outcome.Admitted.class);
    }
  }

  @Test
  @Tag("proc-199")
  void leader_isLost_allThatWasAcknowledgedIsThere_andWritesGoOn() throws IOException {
    try (TestVoters voters = new TestVoters(root).startAll()) {
      TestVoter leader = voters.leader();
      TestVoter other = voters.others(leader).getFirst();
      voters.renew(other, "a").join();
      voters.registerAll(other, "a", "before", 10);
      voters.end(leader.node);
      voters.registerAll(other, "a", "after", 10);
      voters.awaitEqual(voters.all());
      voters.start(leader.node);
      voters.awaitEqual(voters.all());
    }
  }

  @Test
  void voterThatIsElected_isTold_alsoTheNextOne() throws Exception {
    try (TestVoters voters = new TestVoters(root).startAll()) {
      TestVoter first = voters.leader();
      first.awaitElected();
      voters.end(first.node);
      voters.leader().awaitElected();
    }
  }

  /// The others would wait for an hour before they hold an election by themselves. A leader that
  /// has lost touch with them for a moment, as a slow machine makes it, hands over to nobody, and
  /// is asked again.
  @Test
  void leaderThatHandsOver_isFollowedByAnotherAtOnce_andWritesGoOnWithoutIt() throws IOException {
    Limits slow = electedAfter(Duration.ofSeconds(3));
    Limits patient = electedAfter(Duration.ofHours(1));
    try (TestVoters voters = new TestVoters(root)) {
      TestVoter first = voters.start("a", slow);
      TestVoter second = voters.start("b", patient);
      TestVoter third = voters.start("c", patient);
      List<TestVoter> others = List.of(second, third);
      assertThat(voters.leader()).isSameAs(first);
      voters.renew(second, "b").join();
      voters.registerAll(second, "b", "before", 10);
      assertThat(second.store.handOver().join()).as("it does not lead").isFalse();

      TestVoters.await(
          "the lead is handed over",
          () -> voters.leader() != first || first.store.handOver().join());
      TestVoters.await(
          "another leads", () -> others.stream().anyMatch(other -> other.store.isLeader()));
      voters.end("a");
      voters.registerAll(third, "b", "after", 10);

      voters.awaitEqual(others);
    }
  }

  private static Limits electedAfter(Duration silence) {
    return new Limits(
        silence,
        Duration.ofSeconds(15),
        TestVoters.LIMITS.submit(),
        TestVoters.LIMITS.snapshotEntries());
  }

  @Test
  void leader_withoutTheOthers_handsOverToNobody_andGoesOn() throws IOException {
    try (TestVoters voters = new TestVoters(root, Set.of("a"), TestVoters.LIMITS).startAll()) {
      TestVoter only = voters.leader();
      assertThat(only.store.handOver().join()).isFalse();
      voters.renew(only, "a").join();
      voters.registerAll(only, "a", "n", 3);
    }
  }

  @Test
  void allVoters_startAgainFromTheirDisks_withAllThatWasAcknowledged() throws IOException {
    try (TestVoters voters = new TestVoters(root).startAll()) {
      voters.renew(voters.follower(), "a").join();
      voters.registerAll(voters.follower(), "a", "n", 20);
      voters.endAll();
      TestVoter first = voters.start("a");
      voters.start("b"); // later starts need a majority only
      voters.registerAll(first, "a", "again", 5);
      voters.start("c");
      voters.awaitEqual(voters.all());
    }
  }

  /// It came to lead while it applied thousands of entries once more, and the log answered nobody
  /// meanwhile: leases were lost.
  @Test
  void voterThatStartsAgain_beginsWithASnapshot_soonAfterManyEntries() throws IOException {
    try (TestVoters voters = new TestVoters(root, Set.of("a"), TestVoters.LIMITS).startAll()) {
      TestVoter a = voters.get("a");
      voters.renew(a, "a").join();
      assertThat(TestVoters.LIMITS.snapshotEntries()).isGreaterThan(5_000); // it is not by these
      List<CompletableFuture<Outcome>> all =
          IntStream.range(0, 1_100).mapToObj(i -> voters.register(a, "a", "n" + i)).toList();
      for (int i = 0; i < all.size(); i++) {
        voters.acknowledged("n" + i, all.get(i).join());
      }
      TestVoters.await("a snapshot", a::hasSnapshot);
      voters.end("a");
      TestVoter again = voters.start("a");
      voters.registerAll(again, "a", "again", 1); // so all of before is applied
      voters.awaitEqual(voters.all());
      assertThat(again.snapshots()).isOne();
    }
  }

  /// It stood back for ten seconds, and if it alone had the last entries nobody led meanwhile.
  @Test
  void leaderThatHasSteppedDown_mayStandAgain_afterTheTimeOfThreeElections() throws IOException {
    try (TestVoters voters = new TestVoters(root, Set.of("a"), TestVoters.LIMITS).startAll()) {
      RaftProperties all = voters.leader().store.voter().division().getRaftServer().getProperties();
      TimeDuration wait = RaftServerConfigKeys.LeaderElection.leaderStepDownWaitTime(all);
      assertThat(wait.toLong(TimeUnit.MILLISECONDS))
          .isEqualTo(TestVoters.LIMITS.election().multipliedBy(3).toMillis());
    }
  }

  /// A new log had nobody who led for a second or two.
  @Test
  void firstElection_comesSooner_thanOneForALeaderThatIsSilent() throws IOException {
    try (TestVoters voters = new TestVoters(root, Set.of("a"), TestVoters.LIMITS).startAll()) {
      RaftProperties all = voters.leader().store.voter().division().getRaftServer().getProperties();
      TimeDuration atMost = RaftServerConfigKeys.Rpc.firstElectionTimeoutMax(all);
      assertThat(Duration.ofMillis(atMost.toLong(TimeUnit.MILLISECONDS)))
          .isLessThan(TestVoters.LIMITS.election());
    }
  }

  /// On a busy machine each wake-up that was late had it wait for its leader anew.
  @Test
  void voterThatWakesLate_doesNotWaitForItsLeaderAnew() throws IOException {
    try (TestVoters voters = new TestVoters(root, Set.of("a"), TestVoters.LIMITS).startAll()) {
      RaftProperties all = voters.leader().store.voter().division().getRaftServer().getProperties();
      assertThat(RaftServerConfigKeys.sleepDeviationThreshold(all).toLong(TimeUnit.DAYS))
          .isGreaterThan(1);
    }
  }

  /// Each read asks the other voters, by calls without entries, and here there is always one under
  /// way: all are answered, and entries go on. (What once kept entries back needs a question in
  /// each round trip, which the network here is too fast for: LeadershipTest has that.)
  @Test
  @Tag("C6")
  void reads_oneBehindTheOtherForEver_doNotKeepBackEntries() throws IOException {
    try (TestVoters voters = new TestVoters(root, TestVoters.NAMES, TestVoters.LIMITS).startAll()) {
      TestVoter leader = voters.leader();
      voters.renew(leader, "a").join();
      Queue<CompletableFuture<Long>> reads = new ConcurrentLinkedQueue<>();
      voters.network.atEachPacket(() -> reads.add(leader.store.barrier()));
      voters.registerAll(leader, "a", "read", 20);
      voters.network.atEachPacket(() -> {});
      assertThat(reads).allSatisfy(each -> assertThat(each.join()).isPositive());
      voters.awaitEqual(voters.all());
    }
  }

  @Test
  @Tag("proc-198")
  void firstStart_needsAllVoters() throws IOException {
    Limits limits =
        new Limits(
            TestVoters.LIMITS.election(), TestVoters.LIMITS.call(), Duration.ofSeconds(2), 100);
    try (TestVoters voters = new TestVoters(root, TestVoters.NAMES, limits)) {
      TestVoter a = voters.start("a");
      voters.start("b");
      assertThatThrownBy(() -> voters.renew(a, "a").join())
          .hasCauseInstanceOf(TimeoutException.class)
          .hasMessageContaining("the voters have not all met yet");
      voters.start("c");
      TestVoters.await("a leader", () -> voters.all().stream().anyMatch(v -> v.store.isLeader()));
    }
  }

  @Test
  void suffixOfAnOldLeader_thatNobodyElseHas_isCutOff() throws IOException {
    Limits limits =
        new Limits(
            TestVoters.LIMITS.election(), TestVoters.LIMITS.call(), Duration.ofSeconds(30), 10_000);
    try (TestVoters voters = new TestVoters(root, TestVoters.NAMES, limits).startAll()) {
      TestVoter first = voters.leader();
      voters.renew(first, "a").join();
      voters.registerAll(first, "a", "before", 5);
      Map<String, CompletableFuture<Outcome>> stale = new HashMap<>(); // by name
      TestVoter old = leaderWithSuffix(voters, stale);
      TestVoter next = voters.leader(voters.others(old));
      voters.registerAll(next, "a", "after", 5);
      stale.forEach(
          (_, each) -> assertThatThrownBy(each::join).hasCauseInstanceOf(TimeoutException.class));
      voters.network.heal();
      voters.registerAll(next, "a", "healed", 1);
      voters.awaitEqual(voters.all());
      stale.forEach((name, _) -> assertThat(old.owner(name)).isNull());
    }
  }

  /// A leader that is cut off with entries that nobody else has. On a busy machine it may have lost
  /// the lead before it has them: then the next one.
  ///
  /// @param stale what becomes of the entries, by the names that they register
  private static TestVoter leaderWithSuffix(
      TestVoters voters, Map<String, CompletableFuture<Outcome>> stale) throws IOException {
    for (int attempt = 0; ; attempt++) {
      TestVoter old = voters.leader();
      voters.network.cutOff(old.node);
      stale.clear();
      for (int i = 0; i < SUFFIX; i++) {
        String name = "stale" + attempt + "_" + i;
        stale.put(name, voters.register(old, "a", name));
      }
      var log = old.store.voter().division().getRaftLog();
      BooleanSupplier isThere = () -> log.getNextIndex() > log.getLastCommittedIndex() + SUFFIX;
      TestVoters.await("a suffix", () -> isThere.getAsBoolean() || !old.store.isLeader());
      if (isThere.getAsBoolean()) {
        return old;
      }
      voters.network.heal();
    }
  }

  @Test
  @Tag("proc-199")
  void voterThatIsFarBehind_getsASnapshot() throws IOException {
    try (TestVoters voters = new TestVoters(root, TestVoters.NAMES, SNAPSHOT_EACH_50).startAll()) {
      TestVoter leader = voters.leader();
      TestVoter behind = voters.others(leader).getFirst();
      voters.renew(leader, "a").join();
      voters.end(behind.node);
      voters.registerAll(leader, "a", "n", 300);
      var log = leader.store.voter().division().getRaftLog();
      TestVoters.await("a log that was cut", () -> log.getStartIndex() > 0);
      TestVoter again = voters.start(behind.node);
      TestVoters.await("a snapshot", () -> again.snapshots() > 0);
      voters.registerAll(leader, "a", "later", 5);
      voters.awaitEqual(voters.all());
    }
  }

  @Test
  void voterWhoseDiskIsLost_isAnotherVoter_andTakesThePlace() throws IOException {
    try (TestVoters voters = new TestVoters(root, TestVoters.NAMES, SNAPSHOT_EACH_50).startAll()) {
      TestVoter leader = voters.leader();
      TestVoter lost = voters.others(leader).getFirst();
      voters.renew(leader, "a").join();
      voters.registerAll(leader, "a", "n", 300);
      Set<String> before = ids(leader);
      TestVoter empty = voters.startWithoutItsDisk(lost);
      // Its id alone is not enough: until all has been agreed to, those of before count, too.
      TestVoters.await(
          () -> empty.id() + " among the voters: " + ids(voters.leader()),
          () -> voters.leader().hasVoter(empty.id()));
      assertThat(ids(voters.leader())).hasSize(3).isNotEqualTo(before);
      voters.awaitEqual(voters.all());
      assertThat(empty.snapshots()).isPositive();

      // it counts: with it, another one may fail
      TestVoter third =
          voters.all().stream()
              .filter(voter -> voter != empty && !voter.store.isLeader())
              .findFirst()
              .orElseThrow();
      voters.end(third.node);
      voters.registerAll(empty, "a", "with-it", 5);
      voters.awaitEqual(voters.all());
    }
  }

  /// It had got a part of the log by then, and so took itself for a voter: it asked nobody again.
  @Test
  void voterThatIsCutOff_whileItIsTakenIn_isTakenInLater() throws IOException {
    try (TestVoters voters = new TestVoters(root, TestVoters.NAMES, SNAPSHOT_EACH_50).startAll()) {
      TestVoter leader = voters.leader();
      TestVoter lost = voters.others(leader).getFirst();
      voters.renew(leader, "a").join();
      voters.registerAll(leader, "a", "n", 300);
      TestVoter empty = voters.startWithoutItsDisk(lost);
      AtomicBoolean isCut = new AtomicBoolean();
      voters.network.atEachPacket(() -> {
        RaftVoter now = empty.store.voter();
        if (now != null && now.leader() != null) {
          voters.network.cutOff(empty.node);
          isCut.set(true);
        }
      });
      TestVoters.await("it gets a part of the log", isCut::get);
      TestVoters.await(
          "the leader gives up", () -> !followers(voters.leader()).contains(empty.id()));
      assertThat(ids(voters.leader())).doesNotContain(empty.id());
      voters.network.atEachPacket(() -> {});
      voters.network.heal();
      TestVoters.await("it votes", () -> voters.leader().hasVoter(empty.id()));
      voters.awaitEqual(voters.all());
    }
  }

  private static List<String> followers(TestVoter leader) {
    try {
      return leader.store.voter().followers().stream().map(RaftPeerId::toString).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A node that came back without its disk took the calls for the voter that it was. It followed
  /// the leader by them, so it asked nobody to be taken in, and had no vote for ever.
  @Test
  void callForTheVoterOfALostDisk_isRefusedByTheOneInItsPlace() throws IOException {
    try (TestVoters voters = new TestVoters(root).startAll()) {
      TestVoter asked = voters.follower();
      String asker =
          voters.all().stream()
              .map(it -> it.node)
              .filter(it -> !it.equals(asked.node))
              .findFirst()
              .orElseThrow();
      voters.end(asker);
      try (VoterCalls calls = voters.callsOf(asker)) {
        for (boolean isForIt : List.of(true, false)) {
          String id = isForIt ? asked.id() : VoterId.of(asked.node, 1);
          var request =
              RequestVoteRequestProto.newBuilder()
                  .setServerRequest(
                      RaftRpcRequestProto.newBuilder().setReplyId(ByteString.copyFromUtf8(id)))
                  .build();
          CompletableFuture<byte[]> answer =
              calls.call(asked.node, VoterCalls.VOTE, request.toByteArray());
          String refusal = "this is voter '%s', and the call is for voter".formatted(asked.id());
          assertThatThrownBy(answer::get)
              .satisfies(failure ->
                  assertThat(failure.getMessage().contains(refusal)).isEqualTo(!isForIt));
        }
      }
    }
  }

  @Test
  void voters_otherThanInTheDirectory_areRefused() throws IOException {
    try (TestVoters voters = new TestVoters(root).startAll()) {
      voters.leader();
    }
    try (TestVoters others = new TestVoters(root, Set.of("a", "b", "d"), TestVoters.LIMITS)) {
      assertThatThrownBy(() -> others.start("a"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the voters are [a, b, c] there, and cannot become");
    }
  }

  private static Set<String> ids(TestVoter voter) {
    try {
      return Set.copyOf(
          voter.store.voter().division().getRaftConf().getCurrentPeers().stream()
              .map(RaftPeer::getId)
              .map(Object::toString)
              .toList());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void close_failsWhatIsOpen() throws Exception {
    try (TestVoters voters = new TestVoters(root)) {
      TestVoter a = voters.start("a");
      CompletableFuture<Outcome> open = voters.renew(a, "a");
      CompletableFuture<Long> barrier = a.store.barrier();
      voters.end("a");

      assertThatThrownBy(() -> open.get(60, TimeUnit.SECONDS)).hasMessageContaining("has closed");
      assertThatThrownBy(() -> barrier.get(60, TimeUnit.SECONDS))
          .hasMessageContaining("has closed");
      assertThatThrownBy(() -> a.store.barrier().get(60, TimeUnit.SECONDS))
          .hasMessageContaining("has closed");
    }
  }
}
