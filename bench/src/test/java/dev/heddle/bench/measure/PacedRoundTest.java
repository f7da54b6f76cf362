// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Messages from outside, at a rate and without one.
class PacedRoundTest {
  @Test
  void paced_sendsToEachTargetInTurn_atItsTime() throws Exception {
    var round = new PacedRound(2);
    List<Integer> targets = new ArrayList<>();
    List<Long> times = new ArrayList<>();

    Sample sample =
        round.paced(
            4,
            1_000,
            (target, due) -> {
              targets.add(target);
              times.add(due);
              round.answered(target, due);
            });

    assertThat(targets).containsExactly(0, 1, 0, 1);
    assertThat(times.get(3) - times.get(0)).isEqualTo(3_000_000);
    assertThat(sample.operations()).isEqualTo(4);
    assertThat(sample.counts()).containsEntry(Latencies.OFFERED, 1_000.0);
    assertThat(sample.wallNanos()).isGreaterThanOrEqualTo(3_000_000);
  }

  @Test
  void paced_senderThatIsLate_countsFromWhenEachWasDue() throws Exception {
    var round = new PacedRound(1);
    var held = new AtomicInteger();

    Sample sample =
        round.paced(
            10,
            1_000,
            (target, due) -> {
              if (held.getAndIncrement() == 0) {
                long begin = System.nanoTime();
                while (System.nanoTime() - begin < 20_000_000) {
                  Thread.onSpinWait(); // longer than all of them are due
                }
              }
              round.answered(target, due);
            });

    assertThat(sample.count(Latencies.MEDIAN)).isGreaterThan(10_000);
  }

  @Test
  void closed_asksATargetOnlyAfterItsAnswer() throws Exception {
    var round = new PacedRound(2);
    var slow = new CountDownLatch(1);
    List<Integer> targets = new ArrayList<>();

    Sample sample =
        round.closed(
            5,
            (target, due) -> {
              targets.add(target);
              if (target == 1) {
                Thread.startVirtualThread(() -> {
                  try {
                    slow.await();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                  round.answered(1, due);
                });
              } else {
                round.answered(0, due);
                if (targets.size() == 5) {
                  slow.countDown();
                }
              }
            });

    assertThat(targets).containsExactly(0, 1, 0, 0, 0);
    assertThat(sample.operations()).isEqualTo(5);
  }
}
