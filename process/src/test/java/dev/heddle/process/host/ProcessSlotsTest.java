// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Numbers and places of processes.
@Timeout(300)
class ProcessSlotsTest {
  private static final List<Integer> WHO = List.of(ProcessSlots.NO_WORKER, 0, 1);

  @Test
  @Tag("proc-38")
  void placeGivenBack_isFoundByAnybody() {
    for (int from : WHO) {
      for (int to : WHO) {
        ProcessSlots processSlots = new ProcessSlots(1, 2);
        assertThat(processSlots.acquire(to)).isTrue();
        assertThat(WHO).noneMatch(processSlots::acquire);
        processSlots.release(from);
        assertThat(processSlots.acquire(to)).as("from %d to %d", from, to).isTrue();
        assertThat(WHO).noneMatch(processSlots::acquire);
      }
    }
  }

  @Test
  @Tag("proc-38")
  void burst_largerThanAWorkerKeeps_isGivenBackWhole() {
    int many = 1_000;
    ProcessSlots processSlots = new ProcessSlots(many, 2);
    IntStream.range(0, many).forEach(_ -> assertThat(processSlots.acquire(0)).isTrue());
    IntStream.range(0, many).forEach(_ -> processSlots.release(0));
    IntStream.range(0, many).forEach(_ -> assertThat(processSlots.acquire(1)).isTrue());
    assertThat(processSlots.acquire(1)).isFalse();
  }

  @Test
  @Tag("proc-38")
  void manyAtOnce_neverPassTheLimit_andNumbersAreGivenOnce() throws Exception {
    int limit = 3;
    int each = 20_000;
    ProcessSlots processSlots = new ProcessSlots(limit, 2);
    AtomicInteger live = new AtomicInteger();
    Set<Long> numbers = ConcurrentHashMap.newKeySet();
    List<Callable<Integer>> all =
        List.of(-1, -1, 0, 1).stream()
            .<Callable<Integer>>map(who ->
                () -> {
                  int most = 0;
                  for (int i = 0; i < each; i++) {
                    assertThat(numbers.add(processSlots.number(who))).isTrue();
                    if (processSlots.acquire(who)) {
                      most = Math.max(most, live.incrementAndGet());
                      live.decrementAndGet();
                      processSlots.release(who);
                    }
                  }
                  return most;
                })
            .toList();
    try (ExecutorService threads = Executors.newFixedThreadPool(all.size())) {
      for (Future<Integer> most : threads.invokeAll(all)) {
        assertThat(most.get()).isLessThanOrEqualTo(limit);
      }
    }
    assertThat(numbers).hasSize(all.size() * each).doesNotContain(0L);
    IntStream.range(0, limit).forEach(_ -> assertThat(processSlots.acquire(0)).isTrue());
    assertThat(processSlots.acquire(0)).isFalse();
  }
}
