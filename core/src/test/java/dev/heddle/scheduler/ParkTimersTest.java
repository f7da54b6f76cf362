// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The timers of timed waits by themselves: their order, and how they go to the JDK at the end of
/// the loop.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("T13.2")
class ParkTimersTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final List<String> log = new ArrayList<>();
  private long now;
  private boolean hasClasses = true;

  // its time is that of `now`
  private Scheduler fixed() {
    return new Scheduler(
        new QuietOwner(),
        new SchedulerParts(new StillDriver(), this::time, ReadyPicker.FIFO, null),
        true);
  }

  private long time() {
    if (!hasClasses) {
      throw new NoClassDefFoundError("invented: no descriptor or memory was left for it");
    }
    return now;
  }

  // as inside of a mount
  private static ParkTimers timers(
      Scheduler loop, ReadyQueue ready, @Nullable ScheduledExecutorService jdk) {
    ParkTimers timers = new ParkTimers(loop, loop.timers(), ready, jdk);
    timers.mounting = true;
    return timers;
  }

  @Test
  @Tag("trap-11")
  void timers_ofWaits_endThemInTheOrderOfDeadlinesAndThenOfTheirBeginning() {
    Scheduler fixed = fixed();
    ReadyQueue ready = new ReadyQueue();
    ParkTimers timers = timers(fixed, ready, null);
    for (String wait : List.of("9", "3a", "6", "3b", "12")) {
      long nanos = Long.parseLong(wait.replaceAll("\\D", "")) * 1_000_000;
      var _ = timers.arm(() -> log.add(wait), nanos);
    }
    fixed.timers().advance(9_000_000);
    while (ready.poll() instanceof ParkTimers.ParkTimer timer) {
      timer.resume();
    }
    assertThat(log).containsExactly("3a", "3b", "6", "9");
  }

  /// The thread that asks has left its carrier half: it would stay there for ever.
  @Test
  @Tag("T18")
  void wait_forWhichNoTimerCanBeMade_isLeftToTheJdk() {
    Scheduler fixed = fixed();
    ParkTimers timers = timers(fixed, new ReadyQueue(), null);
    hasClasses = false;
    assertThat((Object) timers.arm(() -> {}, 7)).isNull();
    hasClasses = true;
    assertThat(timers.pending()).isZero();
    assertThat(fixed.timers().size()).isZero();
    assertThat((Object) timers.arm(() -> {}, 7)).isNotNull();
    assertThat(fixed.timers().size()).isEqualTo(1);
  }

  /// An executor of which a number of calls fail, and which otherwise notes the delays.
  private final class Jdk extends ScheduledThreadPoolExecutor {
    private int failing;

    Jdk(int failing) {
      super(0);
      this.failing = failing;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
      if (failing-- > 0) {
        throw new OutOfMemoryError("no room for a timer");
      }
      log.add("in " + unit.toNanos(delay));
      return super.schedule(command, LONG.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  @Test
  @Tag("T18")
  void timerThatCannotBeHandedOver_endsItsWait_andTheOthersAreHandedOver() {
    Scheduler fixed = fixed();
    try (Jdk jdk = new Jdk(1)) {
      ParkTimers timers = timers(fixed, new ReadyQueue(), jdk);
      var _ = timers.arm(() -> log.add("ended"), 7);
      var _ = timers.arm(() -> log.add("ended"), 7);
      var _ = timers.arm(() -> log.add("ended"), 7);
      timers.handOver(e -> log.add(e.getMessage()));
      assertThat(log).containsExactly("ended", "no room for a timer", "in 7", "in 7");
      assertThat((Object) timers.arm(() -> {}, 7)).as("a timer after the end").isNull();
      jdk.shutdownNow();
    }
  }

  @Test
  @Tag("T18")
  void timer_ofNoForeseeableEnd_isHandedOverWithoutAnOverflow() {
    Scheduler fixed = fixed();
    try (Jdk jdk = new Jdk(0)) {
      now = -5; // the clock of a JVM may be negative
      ParkTimers timers = timers(fixed, new ReadyQueue(), jdk);
      var _ = timers.arm(() -> {}, Long.MAX_VALUE);
      timers.handOver(e -> log.add(e.getMessage()));
      assertThat(log).containsExactly("in " + Long.MAX_VALUE / 2);
      jdk.shutdownNow();
    }
  }

  @Test
  @Tag("T18")
  void timerThatHasExpired_andHadNoTurnYet_isHandedOver_andEndsItsWaitOnce() {
    Scheduler fixed = fixed();
    ReadyQueue ready = new ReadyQueue();
    try (Jdk jdk = new Jdk(0)) {
      ParkTimers timers = timers(fixed, ready, jdk);
      var _ = timers.arm(() -> log.add("ended"), 7);
      fixed.timers().advance(7);
      now = 9;
      timers.handOver(e -> log.add(e.getMessage()));
      timers.abandonReady();
      assertThat(ready.isEmpty()).isTrue();
      assertThat(log).containsExactly("in -2");
      jdk.shutdownNow();
    }
  }
}
