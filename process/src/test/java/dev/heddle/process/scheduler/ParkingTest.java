// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.scheduler.Task.StepResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Whom a task wakes: workers whose threads are not started, so that nobody else moves.
@Tag("P6")
class ParkingTest {
  private final WorkScheduler scheduler = WorkerThread.newScheduler("still", 3);
  private final Parking parking = scheduler.parking();
  private final Worker[] workers = scheduler.workers();

  private static Probe task() {
    return new Probe(0, _ -> StepResult.IDLE, () -> {});
  }

  private void sleep(int worker) {
    parking.park(workers[worker].place, false);
  }

  @Test
  @Tag("proc-206")
  void task_wakesASleeper_neverOneThatIsBusy() {
    for (int sleeper = 0; sleeper < 3; sleeper++) {
      sleep(sleeper);
      scheduler.start(task(), null); // the other two are in steps that may last
      assertThat(workers[sleeper].place.isAsleep()).as("worker %d", sleeper).isFalse();
      assertThat(parking.awakeCount()).isEqualTo(3);
      parking.stopSearching();
    }
  }

  @Test
  @Tag("proc-206")
  void message_forATaskThatRests_wakesASleeperToo() {
    Probe idle = task();
    Task.StepResult _ = workers[0].runSteps(idle, new Task.Run());
    assertThat(idle.state()).isEqualTo(Task.State.IDLE);
    sleep(1);
    scheduler.wake(idle, Task.BY_MESSAGE, WorkerThread.currentWorker());
    assertThat(workers[1].place.isAsleep()).isFalse();
    assertThat(scheduler.global().poll()).isSameAs(idle);
  }

  @Test
  void oneSearcher_isEnough_theNextIsWokenWhenItHasFoundSomething() {
    sleep(0);
    sleep(1);
    scheduler.start(task(), null);
    scheduler.start(task(), null);
    assertThat(parking.awakeCount()).isEqualTo(2);
    assertThat(workers[0].place.isAsleep())
        .as("the last to sleep is the first to be woken")
        .isTrue();
    scheduler.workFound();
    assertThat(parking.awakeCount()).isEqualTo(3);
  }

  @Test
  @Tag("proc-62")
  void sleeperThatSeesWorkAfterAll_searches() {
    sleep(0);
    assertThat(scheduler.hasWork()).isFalse();
    parking.cancelPark(workers[0].place);
    assertThat(parking.awakeCount()).isEqualTo(3);
    assertThat(parking.stopSearching()).as("it was the only one that searched").isTrue();
    parking.wakeAll();
    assertThat(parking.awakeCount()).isEqualTo(3);
  }
}
