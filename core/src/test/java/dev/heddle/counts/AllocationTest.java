// SPDX-License-Identifier: Apache-2.0
package dev.heddle.counts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.sync.Mutex;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What must not allocate, measured in bytes of the carrier.
@Tag("T8")
@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AllocationTest {
  @Test
  void await_ofAFinishedCoroutine_allocatesNothing() {
    long carrier = Thread.currentThread().threadId();
    long bytes =
        Heddle.run(() -> {
          Coroutine<String> done = Heddle.spawn(() -> "done");
          done.await();
          return Allocations.bytesFor(carrier, done::await);
        });
    // less than one byte in a thousand calls: what is left belongs to the compiler's transitions
    assertThat(bytes).isLessThan(Allocations.TIMES / 1_000);
  }

  @Test
  void suspend_amongTwoReadyCoroutines_allocatesNothing() {
    long carrier = Thread.currentThread().threadId();
    long bytes =
        Heddle.run(() -> {
          Heddle.background("other", AllocationTest::suspendForEver);
          return Allocations.bytesFor(carrier, Heddle::yieldNow);
        });
    // the JDK may replace the chunk that holds a stack, now and then
    assertThat(bytes).isLessThan(Allocations.TIMES);
  }

  @Test
  void mutex_withoutContention_allocatesNothing() {
    long carrier = Thread.currentThread().threadId();
    long bytes =
        Heddle.run(() -> {
          Mutex mutex = new Mutex();
          return Allocations.bytesFor(
              carrier,
              () -> {
                mutex.lock();
                mutex.unlock();
              });
        });
    assertThat(bytes).isLessThan(Allocations.TIMES / 1_000);
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
    long bytes = Heddle.run(() -> Allocations.bytesFor(carrier, () -> sink[0] = new byte[16]));
    // without this the tests above could not fail
    assertThat(bytes).isGreaterThan(16L * Allocations.TIMES);
  }
}
