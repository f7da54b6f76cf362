// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random lives under load, and what holds of all of them, round after round.
///
/// Every process spawns, sends, links, monitors, registers, upgrades, sleeps, kills, fails and ends
/// at random. When all have come to rest: each message that was accepted was delivered once, or its
/// receiver has ended; everybody was told once of each end that he wanted to know of; nobody is
/// ready outside every queue; all workers sleep, and stay asleep. After the end: each process was
/// closed once, and each start has its end.
///
/// Each long test takes `heddle.stress.seconds`, 5 where that is not said; `./heddle test --full`
/// gives them 20, `./heddle soak processes` minutes.
@Timeout(value = 1, unit = TimeUnit.DAYS) // it counts its rounds itself; a round has a guard
class StressTest {
  private static final long SEED = Long.getLong("heddle.seed", 20_261_122);
  private static final long NANOS =
      TimeUnit.SECONDS.toNanos(Long.getLong("heddle.stress.seconds", 5));
  private static final int FEW = 2_000; // lives
  private static final int MANY = 20_000;

  private final Logger log = Logger.getLogger("dev.heddle.process");
  private final Random random = new Random(SEED);

  @BeforeEach
  void mute() {
    log.setLevel(Level.SEVERE); // processes fail by the thousand here, and each is told
  }

  @AfterEach
  void unmute() {
    log.setLevel(null);
  }

  /// Lets a world live until so many were born.
  private RandomWorld world(int workers, int lives) {
    RandomWorld world = new RandomWorld(random.nextLong(), workers);
    while (world.born.get() < lives) {
      RandomLife root = world.life();
      root.expectClose();
      world.runtime.spawn(root);
      for (int i = 0; i < 50; i++) {
        world.send(world.someone(random));
      }
    }
    return world;
  }

  private static void assertRestsWell(RandomWorld world) {
    assertThat(awaitRest(world)).as(() -> world.story(100)).isTrue();
    assertThat(world.wrongAtRest()).as(() -> world.story(10)).isEmpty();
    List<WorkerCounters> workers = world.runtime.workers();
    assertThat(comesToAHalt(world, 3 * workers.size()))
        .as(() -> "workers at rest do nothing: " + workers + ", then " + world.runtime.workers())
        .isTrue();
  }

  /// Whether the workers stay as they are while all processes are asked for. A worker that has just
  /// seen work which another took, and one that the monitor wakes for it, fall asleep once more:
  /// awake, asleep, counted.
  private static boolean comesToAHalt(RandomWorld world, int changes) {
    for (int i = 0; i <= changes; i++) {
      List<WorkerCounters> before = world.runtime.workers();
      for (int j = 0; j < 100; j++) {
        assertThat(world.runtime.processes()).isNotNull();
      }
      if (world.runtime.workers().equals(before)) {
        return true;
      }
    }
    return false;
  }

  private static boolean awaitRest(RandomWorld world) {
    Thread waiting = Thread.ofPlatform().daemon().start(world::awaitRest);
    try {
      return waiting.join(java.time.Duration.ofSeconds(Kit.GUARD_SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void assertEndsWell(RandomWorld world) {
    ShutdownReport report = world.runtime.shutdown(Kit.SOON);
    assertThat(world.wrongAtTheEnd(report)).as(() -> world.story(10)).isEmpty();
    assertThat(world.runtime.processes()).isEmpty();
  }

  @Test
  @Tag("P7")
  @Tag("P10")
  @Tag("proc-30")
  @Tag("proc-44")
  @Tag("proc-70")
  @Tag("proc-150")
  @Tag("proc-204")
  void fewRandomLives_comeToRest_andEndOnce() {
    RandomWorld world = world(2, FEW);
    assertRestsWell(world);
    assertEndsWell(world);
  }

  @Test
  @Tag("P6")
  @Tag("P7")
  @Tag("P10")
  @Tag("P13")
  @Tag("proc-44")
  @Tag("proc-150")
  @Tag("proc-204")
  void randomLives_onAnyNumberOfWorkers_comeToRestAndLoseNothing() {
    for (long end = System.nanoTime() + NANOS; System.nanoTime() - end < 0; ) {
      RandomWorld world = world(1 + random.nextInt(6), MANY);
      assertRestsWell(world);
      assertEndsWell(world);
    }
  }

  @Test
  @Tag("P12")
  @Tag("P13")
  @Tag("proc-71")
  @Tag("proc-74")
  void shutdowns_inTheMiddleOfRandomLives_endEachOnce() {
    for (long end = System.nanoTime() + NANOS; System.nanoTime() - end < 0; ) {
      assertEndsWell(world(1 + random.nextInt(6), 100 + random.nextInt(FEW)));
    }
  }

  @Test
  @Tag("P6")
  @Tag("proc-62")
  @Tag("proc-204")
  void fewLivesOnManyWorkers_whichSleepAndWakeAllTheTime_loseNoWakeUp() {
    for (long end = System.nanoTime() + NANOS; System.nanoTime() - end < 0; ) {
      RandomWorld world = world(8, 200);
      assertRestsWell(world);
      assertEndsWell(world);
    }
  }
}
