// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.observe.CoroutineSnapshot.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("T19")
@Tag("once")
class WaitGraphTest {
  private final List<CoroutineSnapshot> coroutines = new ArrayList<>();

  private WaitGraphTest waits(long id, String on, Long... holders) {
    return waits(id, new WaitSnapshot(on, false, false, List.of(holders)));
  }

  private WaitGraphTest waits(long id, WaitSnapshot wait) {
    coroutines.add(
        new CoroutineSnapshot(
            id,
            null,
            0,
            State.WAITING,
            "WAITING",
            false,
            false,
            "Here",
            null,
            Duration.ZERO,
            List.of(wait),
            null,
            null,
            List.of()));
    return this;
  }

  private WaitGraph graph() {
    return new WaitGraph(new Dump("test", Instant.EPOCH, List.of(), coroutines));
  }

  private List<List<Long>> cycles() {
    return graph().cycles().stream()
        .map(cycle -> cycle.stream().map(CoroutineSnapshot::id).toList())
        .toList();
  }

  @Test
  void chain_withoutAnEnd_hasNoCycle() {
    waits(1, "coroutine-2", 2L).waits(2, "coroutine-3", 3L).waits(3, "a letter");
    assertThat(cycles()).isEmpty();
    assertThat(graph().inWords()).isEmpty();
  }

  @Test
  void coroutine_thatWaitsForItself_isACycleOfOne() {
    waits(4, "the 1 members of its scope", 4L);
    assertThat(cycles()).containsExactly(List.of(4L));
  }

  @Test
  void cycle_reachedFromOutside_beginsWithItsLowestNumber() {
    waits(1, "x", 7L).waits(7, "x", 3L).waits(3, "x", 5L).waits(5, "x", 7L);
    assertThat(cycles()).containsExactly(List.of(3L, 5L, 7L));
  }

  @Test
  void cycles_thatShareNoMember_areAllFound() {
    waits(1, "x", 2L, 4L).waits(2, "x", 3L).waits(3, "x", 2L).waits(4, "x", 5L).waits(5, "x", 4L);
    assertThat(cycles()).containsExactlyInAnyOrder(List.of(2L, 3L), List.of(4L, 5L));
  }

  @Test
  void cycles_thatShareAMember_areReportedOnce() {
    waits(1, "x", 2L, 3L).waits(2, "x", 1L).waits(3, "x", 1L);
    assertThat(cycles()).containsExactly(List.of(1L, 2L));
  }

  @Test
  void holder_thatIsNotInTheDump_isNoCycle() {
    waits(1, "the mutex 'a'", 9L);
    assertThat(cycles()).isEmpty();
  }

  @Test
  @Tag("loop-310")
  void coroutinesThatWaitForOneEvent_shareTheEdgesToItsHolders() {
    int many = 10_000;
    List<Long> holders = LongStream.rangeClosed(1, many).boxed().toList();
    WaitSnapshot end = new WaitSnapshot("the end of a scope", false, false, holders);
    for (long id = 1; id <= many; id++) {
      waits(id, "coroutine-" + (many + id), many + id).waits(many + id, end);
    }
    WaitGraph graph = graph();
    assertThat(graph.visited()).isLessThanOrEqualTo(4L * many);
    assertThat(graph.cycles()).hasSize(many).allMatch(cycle -> cycle.size() == 2);
    assertThat(graph.inWords())
        .contains(
            "coroutine-7 waits for coroutine-10007, which waits for the end of a scope, among them"
                + " coroutine-7\n")
        .endsWith("\nand 9,500 more cycles\n");
  }

  @Test
  void ring_ofAHundredThousand_isFoundWithoutRecursion() {
    long ring = 100_000;
    for (long id = 1; id <= ring; id++) {
      waits(id, "x", id % ring + 1);
    }
    assertThat(cycles()).hasSize(1);
    assertThat(cycles().getFirst()).hasSize((int) ring).startsWith(1L, 2L, 3L);
    assertThat(graph().inWords())
        .startsWith("coroutine-1 waits for x, held by coroutine-2, which waits for x, held by ")
        .endsWith(", held by coroutine-1001, and so on round a cycle of 100,000 coroutines\n");
  }
}
