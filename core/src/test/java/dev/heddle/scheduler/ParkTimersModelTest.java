// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Arming, expiring, turns, cancellations and the end of the loop in each order that chance brings:
/// every wait ends once or is cancelled, none ends early, and all end in the order of deadlines.
@Tag("T13.2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ParkTimersModelTest {
  private static final int STEPS = 200;
  private static final int SEEDS = 300;

  /// A wait, as the model knows it.
  private static final class Wait {
    final long deadline;
    boolean cancelled;
    int ended;
    ScheduledFuture<?> timer;

    Wait(long deadline) {
      this.deadline = deadline;
    }
  }

  /// What the JDK has got: it ends those waits when the model asks it.
  private final class Jdk extends ScheduledThreadPoolExecutor {
    final List<ScheduledFuture<?>> held = new ArrayList<>();
    final List<Runnable> ends = new ArrayList<>();
    private int failing;

    Jdk() {
      super(0);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
      if (failing > 0 && --failing == 0) {
        throw new OutOfMemoryError("no room for a timer");
      }
      assertThat(handedOver).as("deadline").contains(now + unit.toNanos(delay));
      ScheduledFuture<?> future = super.schedule(() -> {}, 1, TimeUnit.HOURS);
      held.add(future);
      ends.add(command);
      return future;
    }

    void endAll() {
      for (int i = 0; i < held.size(); i++) {
        if (!held.get(i).isCancelled()) {
          ends.get(i).run();
        }
      }
    }
  }

  private final List<Wait> waits = new ArrayList<>();
  private final List<Long> handedOver = new ArrayList<>(); // deadlines that may be
  private final List<Long> ended = new ArrayList<>(); // deadlines, in the order of the ends
  private Scheduler fixed;
  private ReadyQueue ready;
  private ParkTimers timers;
  private long now;
  private boolean mayBeEarly;

  private void begin(Jdk jdk) {
    waits.clear();
    handedOver.clear();
    ended.clear();
    now = 0;
    mayBeEarly = false;
    fixed =
        new Scheduler(
            new QuietOwner(),
            new SchedulerParts(new StillDriver(), () -> now, ReadyPicker.FIFO, null),
            true);
    ready = new ReadyQueue();
    timers = new ParkTimers(fixed, fixed.timers(), ready, jdk);
    timers.mounting = true;
  }

  private void step(Random random) {
    switch (random.nextInt(4)) {
      case 0 -> arm(1 + random.nextLong(random.nextBoolean() ? 100 : 8_000_000));
      case 1 -> {
        now += random.nextLong(2_000_000);
        fixed.timers().advance(now);
      }
      case 2 -> turn();
      default -> cancel(random);
    }
  }

  private void arm(long nanos) {
    Wait wait = new Wait(now + nanos);
    waits.add(wait);
    handedOver.add(wait.deadline);
    wait.timer =
        timers.arm(
            () -> {
              assertThat(wait.cancelled).as("ended, and was cancelled").isFalse();
              assertThat(mayBeEarly || wait.deadline <= now).as("in time").isTrue();
              wait.ended++;
              ended.add(wait.deadline);
            },
            nanos);
  }

  private void turn() {
    if (ready.poll() instanceof ParkTimers.ParkTimer timer) {
      assertThat((Object) timer.resume()).isNull();
    }
  }

  private void cancel(Random random) {
    if (!waits.isEmpty()) {
      Wait wait = waits.get(random.nextInt(waits.size()));
      if (wait.ended == 0) {
        wait.timer.cancel(false);
        wait.cancelled = true;
      }
    }
  }

  private void finish(Random random) {
    for (Wait wait : waits) {
      if (wait.ended == 0 && random.nextInt(4) == 0) {
        wait.timer.cancel(false);
        wait.cancelled = true;
      }
    }
  }

  private void check(int seed) {
    assertThat(waits)
        .as("seed " + seed)
        .allSatisfy(wait -> assertThat(wait.ended).isEqualTo(wait.cancelled ? 0 : 1));
    assertThat(fixed.timers().size()).as("timers that are left").isZero();
    assertThat(timers.pending()).isZero();
  }

  @Test
  void waitsOfALoop_endOnce_inTheOrderOfDeadlines_andNeverEarly() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      begin(null);
      for (int i = 0; i < STEPS; i++) {
        step(random);
      }
      now = Long.MAX_VALUE / 4;
      fixed.timers().advance(now);
      while (!ready.isEmpty()) {
        turn();
      }
      check(seed);
      assertThat(ended).as("seed " + seed).isSorted();
    }
  }

  /// @param failing the hand-over that fails, of those at the end; 0: none
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 5})
  @Tag("T18")
  void waitsAtTheEndOfALoop_endOnce_withTheTimesThatTheyHave(int failing) {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      try (Jdk jdk = new Jdk()) {
        begin(jdk);
        for (int i = 0; i < random.nextInt(STEPS); i++) {
          step(random);
        }
        jdk.failing = failing;
        mayBeEarly = true; // from here on the JDK counts the time
        List<Throwable> failures = new ArrayList<>();
        timers.handOver(failures::add);
        assertThat(failures).hasSizeLessThanOrEqualTo(failing == 0 ? 0 : 1);
        timers.abandonReady();
        finish(random);
        jdk.endAll();
        check(seed);
        jdk.shutdownNow();
      }
    }
  }
}
