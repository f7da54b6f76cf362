// SPDX-License-Identifier: Apache-2.0
package dev.heddle.counts;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.sync.Mutex;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What must not allocate, measured in bytes of the carrier.
@Tag("T8")
@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class AllocationTest {
  public static final int TIMES = 100_000;
  private static final int ROUNDS = 5;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static long bytesFor(long carrier, Runnable once) {
    long before = THREADS.getThreadAllocatedBytes(carrier);
    for (int i = 0; i < TIMES; i++) {
      once.run();
    }
    return THREADS.getThreadAllocatedBytes(carrier) - before;
  }

  /// Bytes for many calls of `once`, after a warm-up, less what measuring itself takes, in the best
  /// of some rounds: on a busy machine the compiler comes late, and in between.
  public static long measured(long carrier, Runnable once) {
    bytesFor(carrier, once);
    bytesFor(carrier, () -> {});
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      least = Math.min(least, bytesFor(carrier, once) - bytesFor(carrier, () -> {}));
    }
    return least;
  }

  @Test
  void await_ofAFinishedCoroutine_allocatesNothing() {
    long carrier = Thread.currentThread().threadId();
    long bytes =
        Heddle.run(() -> {
          Coroutine<String> done = Heddle.spawn(() -> "done");
          done.await();
          return measured(carrier, done::await);
        });
    // less than one byte in a thousand calls: what is left belongs to the compiler's transitions
    assertThat(bytes).isLessThan(TIMES / 1_000);
  }

  @Test
  void suspend_amongTwoReadyCoroutines_allocatesNothing() {
    long carrier = Thread.currentThread().threadId();
    long bytes =
        Heddle.run(() -> {
          Heddle.background("other", AllocationTest::suspendForEver);
          return measured(carrier, Heddle::yieldNow);
        });
    // the JDK may replace the chunk that holds a stack, now and then
    assertThat(bytes).isLessThan(TIMES);
  }

  @Test
  void mutex_withoutContention_allocatesNothing() {
    long carrier = Thread.currentThread().threadId();
    long bytes =
        Heddle.run(() -> {
          Mutex mutex = new Mutex();
          return measured(
              carrier,
              () -> {
                mutex.lock();
                mutex.unlock();
              });
        });
    assertThat(bytes).isLessThan(TIMES / 1_000);
  }

  @SuppressWarnings("InfiniteLoopStatement") // cancelled when everything else is done
  private static void suspendForEver() {
    while (true) {
      Heddle.yieldNow();
    }
  }

  @Test
  void measure_ofACallThatAllocates_seesIt() {
    long carrier = Thread.currentThread().threadId();
    Object[] sink = new Object[1];
    long bytes = Heddle.run(() -> measured(carrier, () -> sink[0] = new byte[16]));
    // without this the tests above could not fail
    assertThat(bytes).isGreaterThan(16L * TIMES);
  }
}
