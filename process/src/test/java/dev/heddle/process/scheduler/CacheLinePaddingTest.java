// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What workers write or read most often has cache lines of its own.
class CacheLinePaddingTest {
  private static final int PADDING = 128; // bytes
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Object made = ""; // a field, or the JIT would leave the object out

  private static final class PaddedNone extends CacheLinePadding {}

  @SuppressWarnings("unused") // its size counts
  private static final class PaddedOne extends CacheLinePadding {
    int one;
  }

  @SuppressWarnings("unused") // its size counts
  private static final class One {
    int one;
  }

  @SuppressWarnings("unused") // its size counts
  private static final class Two {
    int one;
    int two;
  }

  /// Time for a message to and fro changed with each garbage collection, up to four times.
  @Test
  void objectsThatWorkersUseMost_extendThePadding() {
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

  /// One field was in front of the padding, in the gap behind the header.
  @Test
  void padding_isTwoCacheLines_inFrontOfAllFields() {
    // behind a header of any length, as the padding has an int, too; objects are aligned to 128
    // bytes at most
    assertThat(size(PaddedNone::new)).isEqualTo(size(One::new) + PADDING);
    assertThat(size(PaddedOne::new)).isEqualTo(size(Two::new) + PADDING);
  }

  private long size(Supplier<Object> constructor) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 10_000; i++) { // the JVM itself may allocate for this thread in between
      long before = THREADS.getCurrentThreadAllocatedBytes();
      made = constructor.get();
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(made).isNotNull();
    return least;
  }
}
