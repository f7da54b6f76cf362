// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.observe.HoldReport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `heddle console` did not start: it read its pages from its jar while another thread loaded a
/// class from there; then its loop's own thread loaded one, and was never woken.
@Tag("trap-42")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BlockedCarriersTest {
  private static final Duration LIMIT = Duration.ofMillis(20);

  private final Object monitor = new Object();
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch carrierWaits = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final AtomicReference<Thread> watchdog = new AtomicReference<>();

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void monitor_thatACoroutineOfTheLoopIsToEnterFirst_doesNotStopTheLoop(boolean alsoTheWatchdog)
      throws Exception {
    Thread holder = Thread.ofPlatform().daemon().start(() -> holdUntilAllWait(alsoTheWatchdog));
    held.await();
    AtomicReference<LoopRuntime> root = new AtomicReference<>();
    LoopRuntime.run(
        HeddleOptions.defaults().withHoldLimit(LIMIT).withReports(this::reported),
        () -> enter(root.get(), alsoTheWatchdog),
        List.of(),
        root::set);
    holder.join();
    assertThat(log).containsExactlyInAnyOrder("the coroutine", "the carrier");
  }

  // a thread that waits to enter spins at first, and may then enter by itself: one that is reported
  // does not spin any more
  private void reported(Object report) {
    if (report instanceof HoldReport hold && hold.activity() == HoldReport.Activity.WAITING) {
      carrierWaits.countDown();
    }
  }

  private void holdUntilAllWait(boolean alsoTheWatchdog) {
    synchronized (monitor) {
      held.countDown();
      awaitQuietly(carrierWaits);
      while (alsoTheWatchdog && !isBlocked(watchdog.get())) {
        Thread.onSpinWait();
      }
    }
    released.countDown();
  }

  private void enter(LoopRuntime loop, boolean alsoTheWatchdog) {
    AtomicReference<Thread> first = new AtomicReference<>();
    Heddle.background(
        "first",
        () -> {
          first.set(Thread.currentThread());
          synchronized (monitor) {
            log.add("the coroutine");
          }
        });
    while (!isBlocked(first.get())) {
      Heddle.yieldNow();
    }
    if (alsoTheWatchdog) {
      Thread.ofPlatform().daemon().start(() -> blockWatchdog(loop));
    }
    loop.scheduler()
        .runOnCarrier(() -> {
          synchronized (monitor) {
            log.add("the carrier");
          }
        });
    while (log.size() < 2) {
      Heddle.yieldNow();
    }
  }

  private void blockWatchdog(LoopRuntime loop) {
    awaitQuietly(carrierWaits); // it is the watchdog that reports that
    loop.diagnostics()
        .runOnWatchdog(() -> {
          watchdog.set(Thread.currentThread());
          synchronized (monitor) {
            released.countDown();
          }
        });
  }

  private static boolean isBlocked(@Nullable Thread thread) {
    return thread != null && thread.getState() == Thread.State.BLOCKED;
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
