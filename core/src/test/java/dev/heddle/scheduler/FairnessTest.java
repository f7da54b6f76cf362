// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Who waits how long for whom, in dispatches. The scheduler runs on a driver that only counts.
@Timeout(300)
class FairnessTest {
  private static final boolean REUSE = System.getProperty("heddle.reuse", "on").equals("on");

  private final QuietOwner owner = new QuietOwner();
  private final StillDriver driver = new StillDriver();
  private final Scheduler scheduler = new Scheduler(owner, SchedulerParts.usual(driver), REUSE);
  private final List<Integer> runs = new ArrayList<>();
  private int left;

  /// A coroutine that notes its number and yields, `times` over.
  private void yielder(int number, int times) {
    yielder(number, times, false);
  }

  private void yielder(int number, int times, boolean high) {
    Sleeper[] self = new Sleeper[1];
    self[0] =
        new Sleeper(
            scheduler,
            "yielder " + number,
            () -> {
              for (int i = 0; i < times; i++) {
                runs.add(number);
                scheduler.yieldFrom(self[0]);
              }
              if (--left == 0) {
                scheduler.finish();
              }
            });
    left++;
    if (high) {
      self[0].raisePriority();
    }
    self[0].enqueue();
  }

  private void run() {
    scheduler.run();
    scheduler.close();
    assertThat(owner.failures).isEmpty();
  }

  @Test
  @Tag("T7")
  @Tag("trap-26")
  void everyone_whoIsReadyInARound_runsOnceBeforeAnyoneRunsTwice() {
    for (int number = 0; number < 10; number++) {
      yielder(number, 100);
    }
    run();
    for (int i = 0; i < runs.size(); i++) {
      assertThat(runs.get(i)).isEqualTo(i % 10);
    }
    assertThat(runs).hasSize(1_000);
  }

  @Test
  @Tag("T7")
  @Tag("trap-26")
  void normalPriority_besideHighThatNeverRests_runsOnceIn65() {
    yielder(0, 20);
    yielder(1, 2_000, true);
    yielder(2, 2_000, true);
    run();
    List<Integer> gaps = new ArrayList<>();
    int since = 0;
    for (int number : runs.subList(runs.indexOf(0) + 1, runs.lastIndexOf(0) + 1)) {
      since++;
      if (number == 0) {
        gaps.add(since);
        since = 0;
      }
    }
    assertThat(gaps).hasSize(19).containsOnly(65);
  }

  @Test
  @Tag("T10")
  @Tag("trap-16")
  void reactor_withNothingArmed_isNeverLookedAt() {
    yielder(0, 20_000);
    yielder(1, 20_000);
    run();
    assertThat(scheduler.reactor().polls()).isZero();
    assertThat(scheduler.reactor().sleeps()).isZero();
  }

  @Test
  @Tag("loop-305")
  @Tag("trap-16")
  void reactor_withSomethingArmed_isLookedAtWithinBoundedDispatches() {
    driver.armed = true;
    int coroutines = 10;
    List<Integer> at = new ArrayList<>();
    driver.onLook = () -> at.add(runs.size());
    for (int number = 0; number < coroutines; number++) {
      yielder(number, 2_000);
    }
    run();
    // 61 dispatches, at most 64 more until the clock is read, and the round in progress
    int bound = 61 + 64 + coroutines + 1;
    int previous = 0;
    for (int look : at) {
      assertThat(look - previous).isLessThanOrEqualTo(bound);
      previous = look;
    }
    assertThat(at).hasSizeGreaterThanOrEqualTo(20_000 / bound);
  }

  @Test
  @Tag("loop-305")
  @Tag("trap-16")
  void reactor_besideASoleCoroutineThatYields_isLookedAt() {
    driver.armed = true;
    yielder(0, 10_000);
    run();
    assertThat(scheduler.reactor().polls()).isGreaterThanOrEqualTo(10_000 / (61 + 64 + 2));
  }

  @Test
  @Tag("T6")
  void microtasks_thatFeedThemselves_leaveRoomForCoroutines() {
    boolean[] stop = new boolean[1];
    int[] tasks = new int[1];
    scheduler.post(
        new Microtask() {
          @Override
          protected void run() {
            tasks[0]++;
            if (!stop[0]) {
              scheduler.post(this);
            }
          }
        });
    yielder(0, 10);
    yielder(1, 10);
    left++;
    Sleeper stopper =
        new Sleeper(
            scheduler,
            "stopper",
            () -> {
              stop[0] = true;
              if (--left == 0) {
                scheduler.finish();
              }
            });
    stopper.enqueue();
    run();
    assertThat(runs).hasSize(20);
    assertThat(tasks[0]).isGreaterThanOrEqualTo(1_024);
  }
}
