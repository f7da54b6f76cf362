// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What workers write or read for each task has cache lines of its own.
class CacheLinePaddingTest {
  private static final int PADDING = 128; // bytes
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Object made = ""; // a field, or the JIT would leave the object out

  private static final class Empty extends CacheLinePadding {}

  /// Time for a message to and fro changed with each garbage collection, up to four times.
  @Test
  void objectsThatWorkersUseForEachTask_shareNoCacheLine() {
    assertThat(
            Stream.of(
                    Worker.class,
                    WorkDeque.class,
                    WakeUpJournal.class,
                    BurstHeuristic.class,
                    WorkScheduler.class,
                    Parking.class,
                    GlobalQueue.class)
                .map(Class::getSuperclass))
        .containsOnly(CacheLinePadding.class);
  }

  @Test
  void padding_isTwoCacheLines() {
    assertThat(size(Empty::new) - size(Object::new)).isBetween(PADDING - 8L, PADDING + 8L);
  }

  /// What the JVM itself allocates for this thread is in some of the measurements, not in the
  /// least.
  private long size(Supplier<Object> constructor) {
    Set<Long> sizes = new TreeSet<>();
    for (int i = 0; i < 10_000; i++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      made = constructor.get();
      sizes.add(THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(made).isNotNull();
    return sizes.iterator().next();
  }
}
