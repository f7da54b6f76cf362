// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.loop.diagnostics.SampledHolds;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Looks at a hold, at times that the test makes up. The watchdog looks too, but rarely.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("T22")
@Tag("once")
class SecondLookTest {
  private static final Duration LIMIT =
      Duration.ofSeconds(4); // two of them are less than what is told in any case
  private static final long LIMIT_NANOS = LIMIT.toNanos();

  // the coroutine goes on from one to the next
  private final CountDownLatch inFirst = new CountDownLatch(1);
  private final CountDownLatch firstIsTold = new CountDownLatch(1);
  private final CountDownLatch inFirstAgain = new CountDownLatch(1);
  private final CountDownLatch isSeenThere = new CountDownLatch(1);
  private final CountDownLatch inSecond = new CountDownLatch(1);
  private final CountDownLatch secondIsTold = new CountDownLatch(1);

  private void holdFirst(CountDownLatch here, CountDownLatch until) {
    here.countDown();
    while (until.getCount() > 0) {
      Thread.onSpinWait();
    }
  }

  private void holdSecond(CountDownLatch here, CountDownLatch until) {
    here.countDown();
    while (until.getCount() > 0) {
      Thread.onSpinWait();
    }
  }

  private static void assertIsTold(SampledHolds watch, String method) {
    HoldReport running = watch.running();
    assertThat(running).as("a report of " + method).isNotNull();
    assertThat(running.text()).contains(method);
  }

  @Test
  void hold_firstSampledWhereOneWasReportedBefore_isSampledAgain_andReportedWhereItContinues()
      throws Exception {
    AtomicReference<LoopRuntime> root = new AtomicReference<>();
    HeddleOptions options = HeddleOptions.defaults().withHoldLimit(LIMIT);
    Thread loop =
        Thread.ofPlatform()
            .daemon()
            .start(() ->
                LoopRuntime.run(
                    options,
                    () -> {
                      holdFirst(inFirst, firstIsTold);
                      Heddle.yieldNow(); // the next hold begins
                      holdFirst(inFirstAgain, isSeenThere);
                      holdSecond(inSecond, secondIsTold);
                      return 1;
                    },
                    List.of(),
                    root::set));
    try {
      inFirst.await();
      SampledHolds watch = new SampledHolds(root.get());
      long now = System.nanoTime();
      assertThat(watch.sample(now)).isTrue();
      var _ = watch.sample(now += LIMIT_NANOS);
      assertIsTold(watch, "holdFirst");
      firstIsTold.countDown();
      inFirstAgain.await();
      var _ = watch.sample(now += LIMIT_NANOS); // another one
      var _ = watch.sample(now += LIMIT_NANOS); // which looks like the one before
      isSeenThere.countDown();
      inSecond.await();
      var _ = watch.sample(now + LIMIT_NANOS);
      assertIsTold(watch, "holdSecond");
    } finally {
      firstIsTold.countDown();
      isSeenThere.countDown();
      secondIsTold.countDown();
      loop.join();
    }
  }
}
