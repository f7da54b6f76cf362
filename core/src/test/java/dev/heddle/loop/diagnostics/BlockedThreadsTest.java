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
import org.junit.jupiter.params.provider.EnumSource;

/// `heddle console` did not start: it read its pages from its jar while another thread loaded a
/// class from there; then its loop's own thread loaded one, and was never woken.
@Tag("trap-42")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BlockedThreadsTest {
  private static final Duration LIMIT = Duration.ofMillis(20);

  /// Who waits for the monitor behind the coroutine.
  enum Behind {
    THE_CARRIER,
    /// The watchdog as well.
    CARRIER_AND_WATCHDOG,
    /// A thread that is in a monitor for which the carrier waits.
    ONE_WHOM_THE_CARRIER_WAITS_FOR
  }

  private final Object monitor = new Object();
  private final Object between = new Object();
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch carrierWaits = new CountDownLatch(1);
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final AtomicReference<Thread> other = new AtomicReference<>();

  @ParameterizedTest
  @EnumSource
  void monitor_thatACoroutineOfTheLoopIsToEnterFirst_doesNotStopTheLoop(Behind behind)
      throws Exception {
    Thread holder = Thread.ofPlatform().daemon().start(() -> holdUntilAllWait(behind));
    held.await();
    AtomicReference<LoopRuntime> root = new AtomicReference<>();
    LoopRuntime.run(
        HeddleOptions.defaults().withHoldLimit(LIMIT).withReports(this::reported),
        () -> enter(root.get(), behind),
        List.of(),
        root::set);
    holder.join();
    assertThat(log).containsExactlyInAnyOrder("the coroutine", "the carrier");
  }

  // a thread that waits to enter spins at first, and may then enter by itself: one that is reported
  // does not spin any more
  private void reported(Object report) {
    if (report instanceof HoldReport hold
        && hold.stack().stream()
            .anyMatch(frame -> frame.getMethodName().equals("enterOnTheCarrier"))) {
      carrierWaits.countDown();
    }
  }

  private void holdUntilAllWait(Behind behind) {
    synchronized (monitor) {
      held.countDown();
      awaitQuietly(carrierWaits);
      while (behind == Behind.CARRIER_AND_WATCHDOG && !isBlocked(other.get())) {
        Thread.onSpinWait();
      }
    }
  }

  private void enter(LoopRuntime loop, Behind behind) {
    AtomicReference<Thread> first = new AtomicReference<>();
    Heddle.background(
        "first",
        () -> {
          first.set(Thread.currentThread());
          synchronized (monitor) {
            log.add("the coroutine");
          }
        });
    while (!isBlocked(first.get()) && log.isEmpty()) {
      Heddle.yieldNow();
    }
    if (behind == Behind.CARRIER_AND_WATCHDOG) {
      Thread.ofPlatform().daemon().start(() -> blockWatchdog(loop));
    } else if (behind == Behind.ONE_WHOM_THE_CARRIER_WAITS_FOR) {
      other.set(Thread.ofPlatform().daemon().start(this::enterBoth));
      while (!isBlocked(other.get())) {
        Thread.onSpinWait();
      }
    }
    loop.scheduler()
        .runOnCarrier(() ->
            enterOnTheCarrier(behind == Behind.ONE_WHOM_THE_CARRIER_WAITS_FOR ? between : monitor));
    while (log.size() < 2) {
      Heddle.yieldNow();
    }
  }

  private void enterOnTheCarrier(Object wanted) {
    synchronized (wanted) {
      log.add("the carrier");
    }
  }

  private void enterBoth() {
    synchronized (between) {
      synchronized (monitor) {
        held.countDown();
      }
    }
  }

  private void blockWatchdog(LoopRuntime loop) {
    awaitQuietly(carrierWaits); // it is the watchdog that notices that
    loop.diagnostics()
        .runOnWatchdog(() -> {
          other.set(Thread.currentThread());
          synchronized (monitor) {
            held.countDown();
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
