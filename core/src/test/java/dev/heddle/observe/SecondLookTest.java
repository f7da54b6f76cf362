// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.tree.LoopRoot;
import dev.heddle.coroutine.tree.SampledHolds;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
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

  private final BlockingQueue<HoldReport> reports = new LinkedBlockingQueue<>();

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

  private void awaitReportOf(String method) throws InterruptedException {
    HoldReport report;
    do {
      report = reports.poll(240, TimeUnit.SECONDS);
      assertThat(report).as("a report of " + method).isNotNull();
    } while (!report.text().contains(method));
  }

  @Test
  void hold_seenFirstWhereOneWasToldBefore_isLookedAtAgain_andToldWhereItGoesOn() throws Exception {
    AtomicReference<LoopRoot> root = new AtomicReference<>();
    HeddleOptions options =
        HeddleOptions.defaults()
            .withHoldLimit(LIMIT)
            .withReports(report -> reports.add((HoldReport) report));
    Thread loop =
        Thread.ofPlatform()
            .daemon()
            .start(() ->
                LoopRoot.run(
                    options,
                    () -> {
                      holdFirst(inFirst, firstIsTold);
                      Heddle.suspend(); // the next hold begins
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
      watch.sample(now += LIMIT_NANOS);
      awaitReportOf("holdFirst");
      firstIsTold.countDown();
      inFirstAgain.await();
      watch.sample(now += LIMIT_NANOS); // another one
      watch.sample(now += LIMIT_NANOS); // which looks like the one before
      isSeenThere.countDown();
      inSecond.await();
      watch.sample(now + LIMIT_NANOS);
      awaitReportOf("holdSecond");
    } finally {
      firstIsTold.countDown();
      isSeenThere.countDown();
      secondIsTold.countDown();
      loop.join();
    }
  }
}
