// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The order in which a chooser sees what is ready does not depend on the JVM.
@Tag("sim-1")
class CandidateOrderTest {
  private final ArrivalOrder order = new ArrivalOrder();

  /// What is ready, in the order in which the ready queue has it.
  ///
  /// @param foreign what a thread of the JVM has brought
  /// @param queue that it is of
  private record Ready(List<Long> ids, Set<Long> foreign, Object queue)
      implements ArrivalOrder.Lane {
    Ready(List<Long> ids, Set<Long> foreign) {
      this(ids, foreign, new Object());
    }

    static Ready own(Long... ids) {
      return new Ready(List.of(ids), Set.of());
    }

    static Ready foreign(Long... ids) {
      return new Ready(List.of(ids), Set.of(ids));
    }

    @Override
    public int size() {
      return ids.size();
    }

    @Override
    public long laneId(int place) {
      return ids.get(place);
    }

    @Override
    public boolean isForeign(int place) {
      return foreign.contains(ids.get(place));
    }
  }

  private List<Long> seen(Ready ready) {
    order.update(ready);
    return IntStream.range(0, ready.size())
        .mapToObj(position -> ready.laneId(order.place(position)))
        .toList();
  }

  @Test
  void broughtByTheJvmAtOneTime_areInTheOrderOfTheirIds() {
    assertThat(seen(Ready.foreign(5L, 3L, 4L))).containsExactly(3L, 4L, 5L);
    assertThat(new CandidateOrderTest().seen(Ready.foreign(4L, 5L, 3L)))
        .containsExactly(3L, 4L, 5L);
  }

  @Test
  void broughtByTheJvm_comeBehindWhatTheLoopHasMadeReady() {
    assertThat(seen(new Ready(List.of(1L, 9L, 7L), Set.of(1L)))).containsExactly(9L, 7L, 1L);
  }

  @Test
  void laterOnes_comeBehind_whereverTheQueueHasThem() {
    assertThat(seen(Ready.foreign(5L))).containsExactly(5L);
    assertThat(seen(new Ready(List.of(2L, 5L), Set.of(5L)))).containsExactly(5L, 2L);
  }

  @Test
  void chosenOne_thatComesBack_comesBehind() {
    assertThat(seen(Ready.own(1L, 2L))).containsExactly(1L, 2L);
    order.chosen(0, 1);
    assertThat(seen(Ready.own(1L, 2L))).containsExactly(2L, 1L);
  }

  @Test
  void orderOfAQueueThatIsFollowed_isThatOfOneThatIsOrderedAnew() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      CandidateOrderTest followed = new CandidateOrderTest();
      CandidateOrderTest anew = new CandidateOrderTest();
      Object name = new Object();
      List<Long> queue = new ArrayList<>();
      Set<Long> foreign = new HashSet<>();
      for (int step = 0; step < 50; step++) {
        addSome(queue, foreign, random);
        Ready ready = new Ready(queue, foreign, name);
        List<Long> seen = followed.seen(ready);
        assertThat(seen).isEqualTo(anew.seen(new Ready(queue, foreign)));
        int position = random.nextInt(seen.size());
        long chosen = seen.get(position);
        int place = followed.order.place(position);
        followed.order.chosen(position, chosen);
        anew.order.chosen(position, chosen);
        queue.remove(place);
      }
    }
  }

  // few numbers, so that those that were chosen come back, and some are there twice
  private static void addSome(List<Long> queue, Set<Long> foreign, Random random) {
    for (int more = random.nextInt(4); more > 0 || queue.isEmpty(); more--) {
      long id = random.nextInt(30);
      if (!queue.contains(id) || random.nextInt(20) == 0) {
        queue.add(id);
        boolean _ = random.nextInt(3) == 0 ? foreign.add(id) : foreign.remove(id);
      }
    }
  }
}
