// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.SoakDeeds.Deed;
import dev.heddle.cluster.SoakDeeds.Kind;
import dev.heddle.cluster.SoakResource.Write;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What the soak takes for a stale write of an entity, and that a node tries some.
@Tag("C6")
class SoakWritesTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int SHARD = SoakShards.shardOf(SoakHistory.KEY);

  @TempDir Path folder;

  /// `n2` owns the shard, and then `n3`.
  private final SoakHistory history = new SoakHistory().owner("n2", 5, 10).owner("n3", 9, 30);

  private static Write write(long token, String node, long second) {
    return new Write(token, node, second * SECOND);
  }

  private ListAssert<String> assertProblems(Write... letIn) {
    SoakWrites writes = new SoakWrites(history.inOrder());
    writes.judge(SHARD, List.of(letIn));
    return assertThat(writes.problems());
  }

  @Test
  void ownersOneAfterTheOther_areRight_alsoOneOfWhichNobodyHasHeard() {
    assertProblems(write(5, "n2", 11), write(5, "n2", 20), write(7, "n4", 25), write(9, "n3", 31))
        .isEmpty();
  }

  /// A broken resource.
  @Test
  void lowerToken_thatIsLetInAfterTheNextOwner_isStale() {
    assertProblems(write(5, "n2", 11), write(9, "n3", 31), write(5, "n2", 32), write(9, "n3", 33))
        .hasSize(1)
        .allMatch(it -> it.startsWith("stale: Write[token=5, node=n2"));
  }

  /// A broken log: the resource does what it is told, and lets a former owner in.
  @Test
  void formerOwner_whoseTokenIsHigher_isStale() {
    history.owner("n4", 7, 50);
    assertProblems(write(7, "n4", 51), write(9, "n3", 52))
        .hasSize(1)
        .allMatch(it -> it.startsWith("stale: Write[token=9, node=n3"));
  }

  @Test
  void token_ofTwoNodes_isFound() {
    assertProblems(write(5, "n2", 11), write(5, "n3", 12))
        .hasSize(1)
        .allMatch(it -> it.startsWith("token: "));
  }

  @Test
  void refusal_ofAFormerOwner_isCounted_andNoProblem() {
    history.writeRefused("n2", 5, 32, SHARD);
    SoakWrites writes = new SoakWrites(history.inOrder());
    writes.judge(SHARD, List.of(write(5, "n2", 11), write(9, "n3", 31)));
    assertThat(writes.problems()).isEmpty();
    assertThat(writes.refused()).isEqualTo(1);
  }

  @Test
  void refusal_withoutAHigherTokenBefore_isAProblem() {
    history.writeRefused("n2", 5, 30, SHARD);
    assertProblems(write(5, "n2", 11), write(9, "n3", 31))
        .hasSize(1)
        .allMatch(it -> it.startsWith("refused: "));
  }

  @Test
  void refusal_ofThePresentOwner_isAProblem() {
    history.owner("n4", 7, 50).writeRefused("n4", 7, 52, SHARD);
    assertProblems(write(9, "n3", 51)).hasSize(1).allMatch(it -> it.startsWith("refused: "));
  }

  /// Of the node itself: what it writes for an entity that has lost its shard is refused as soon as
  /// the next owner has written.
  @Test
  @Timeout(120)
  void writer_ofALostShard_goesOn_untilItIsRefused() throws IOException {
    SoakShardWriter former = new SoakShardWriter(folder, new SoakDeeds(folder, "n2"));
    SoakShardWriter next = new SoakShardWriter(folder, new SoakDeeds(folder, "n3"));
    former.write(SHARD, 5);
    next.write(SHARD, 9);
    assertThat(refusals()).isEmpty();
    former.lost(SHARD, 5);
    while (refusals().isEmpty()) {
      LockSupport.parkNanos(1_000_000);
    }
    assertThat(SoakShardWriter.all(folder, SHARD)).extracting(Write::token).containsExactly(5L, 9L);
    SoakWrites writes =
        new SoakWrites(Stream.concat(history.inOrder().stream(), refusals().stream()).toList());
    writes.judge(SHARD, SoakShardWriter.all(folder, SHARD));
    assertThat(writes.problems()).isEmpty();
    assertThat(writes.counts()).endsWith("refused: 1, of which 1 after they were closed");
  }

  private List<Deed> refusals() throws IOException {
    return SoakDeeds.read(folder).stream().filter(it -> it.kind() == Kind.WRITE_REFUSED).toList();
  }
}
