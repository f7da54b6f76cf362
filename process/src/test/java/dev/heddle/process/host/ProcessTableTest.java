// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.Pid;
import dev.heddle.process.StartOptions;
import dev.heddle.process.instance.ProcessInstance;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The table of processes, and a map that says what it should hold.
@Tag("P3")
class ProcessTableTest {
  private static final long SEED = Long.getLong("heddle.seed", 20_261_122);

  private final ProcessTable table = new ProcessTable();
  private final NoHost host = new NoHost();

  private ProcessInstance numbered(long id) {
    return new ProcessInstance(
        host, new Pid("", "h", id, 1), (_, _) -> {}, StartOptions.defaults());
  }

  @Test
  @Tag("proc-32")
  @Tag("proc-147")
  void anyNumbers_addedAndRemovedAtRandom_areFoundWhileTheyAreIn() {
    Random random = new Random(SEED);
    Map<Long, ProcessInstance> model = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      // few numbers of one shard, which collide; now and then one from far away
      long id = random.nextInt(10) == 0 ? random.nextLong() : random.nextInt(64) * 64L;
      if (random.nextBoolean()) {
        ProcessInstance process = numbered(id);
        assertThat(table.add(process)).isEqualTo(model.putIfAbsent(id, process) == null);
      } else {
        ProcessInstance there = model.remove(id);
        table.remove(there == null ? numbered(id) : there);
      }
      assertThat(table.find(id)).as("step %d, seed %d", i, SEED).isSameAs(model.get(id));
      if (i % 1_000 == 0) {
        assertThat(table.all()).containsExactlyInAnyOrderElementsOf(model.values());
        model.forEach((known, process) -> assertThat(table.find(known)).isSameAs(process));
      }
    }
  }

  @Test
  @Tag("proc-216")
  void numberThatIsTaken_isRefused_andLeavesTheFirst() {
    ProcessInstance first = numbered(7);
    assertThat(table.add(first)).isTrue();
    assertThat(table.add(numbered(7))).isFalse();
    assertThat(table.find(7)).isSameAs(first);
    assertThat(table.all()).containsExactly(first);
  }

  @Test
  void numbersThatFollowEachOther_lieApart_soThatARemovalLooksAtFew() {
    for (long id = 1; id <= 64_000; id++) {
      table.add(numbered(id));
    }

    assertThat(table.longestRow()).isLessThan(64); // of 1,000 in each shard
  }
}
