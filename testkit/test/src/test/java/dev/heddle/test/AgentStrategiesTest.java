// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.heddle.DeadlockError;
import dev.heddle.world.WorldAgent;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What strategies do with threads, and what a run says of them. The agent of these tests has no
/// points.
@Tag("agent")
@Timeout(300)
class AgentStrategiesTest {
  // ---- threads in reports ----

  @Test
  @Tag("sim-5")
  void deadlock_listsTheThreadsWithTheirStacks() {
    assertThatThrownBy(() ->
            Simulation.run(() -> {
              CountDownLatch never = new CountDownLatch(1);
              Object monitor = new Object();
              Thread reader = new Thread(() -> holdFor(monitor, never), "reader");
              reader.start();
              Thread.ofVirtual().name("blocked").start(() -> holdFor(monitor, never));
              reader.join();
            }))
        .hasCauseInstanceOf(DeadlockError.class)
        .hasMessageContaining(
            "thread 'reader' waits in CountDownLatch.await\n"
                + "  at java.util.concurrent.CountDownLatch.await(CountDownLatch.java:")
        .hasMessageContaining("virtual thread 'blocked' waits for a monitor\n  at ")
        .hasMessageContaining("AgentStrategiesTest.holdFor(AgentStrategiesTest.java:");
  }

  private static void holdFor(Object monitor, CountDownLatch latch) {
    synchronized (monitor) {
      try {
        latch.await();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Test
  @Tag("sim-5")
  void threadsThatAreReadyAtTheEnd_endFirst_andAreNoLeaks() {
    SimulationOptions options = SimulationOptions.defaults().withStrategy(Strategy.fifo());
    assertThat(Simulation.record(options, AgentStrategiesTest::startTwenty).failure()).isNull();
  }

  private static int startTwenty() {
    for (int i = 0; i < 20; i++) {
      new Thread(() -> {}, "ready-" + i).start();
    }
    return 20;
  }

  // ---- spurious wake-ups ----

  @Test
  @Tag("sim-4")
  void waitWithoutALoop_isFoundBySpuriousWakeUps_andReplayed() {
    Strategy strategy = Strategy.randomWalk().withSpuriousWakeUps(10);
    SimulationError error =
        catchThrowableOfType(
            SimulationError.class,
            () ->
                Simulation.explore(
                    SimulationOptions.defaults().withStrategy(strategy),
                    AgentStrategiesTest::waitOnce));
    // @start region=interruptions
    for (Interruption interruption : error.result().interruptions()) {
      assertThat(interruption.kind()).isEqualTo(Interruption.Kind.WAKE_UP);
      assertThat(interruption.thread()).isEqualTo("main");
    }
    // @end
    assertThat(error.result().interruptions()).hasSize(1);
    SimulationOptions replay =
        SimulationOptions.defaults()
            .withSeed(error.result().seed())
            .withSchedule(error.result().schedule());
    SimulationError again =
        catchThrowableOfType(
            SimulationError.class, () -> Simulation.run(replay, AgentStrategiesTest::waitOnce));
    assertThat(again.result().fingerprint()).isEqualTo(error.result().fingerprint());
  }

  @SuppressWarnings("WaitNotInLoop") // that is the bug
  private static void waitOnce() throws InterruptedException {
    boolean[] done = new boolean[1];
    Thread setter = new Thread(() -> setLater(done));
    synchronized (done) {
      setter.start();
      done.wait();
      assertThat(done[0]).isTrue();
    }
    setter.join();
  }

  @SuppressWarnings("ThreadPriorityCheck") // others are to run
  private static void setLater(boolean[] done) {
    for (int i = 0; i < 20; i++) {
      Thread.yield();
    }
    synchronized (done) {
      done[0] = true;
      done.notifyAll();
    }
  }

  // ---- what cannot be ----

  @Test
  @Tag("sim-6")
  void stalls_withoutPoints_areRefused() {
    SimulationOptions options =
        SimulationOptions.defaults().withStrategy(Strategy.randomWalk().withStalls(100));
    assertThatThrownBy(() -> Simulation.run(options, () -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("points=sync");
  }

  // ---- points ----

  @Test
  @Tag("sim-4")
  void replayOfAPreemption_withoutPoints_saysWhatToDo() {
    for (String schedule : List.of("p77", "0:1,s3:100")) {
      assertThatThrownBy(
              () -> Simulation.run(SimulationOptions.defaults().withSchedule(schedule), () -> {}))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("-javaagent:heddle-world.jar=points=sync");
    }
    assertThatThrownBy(
            () -> Simulation.run(SimulationOptions.defaults().withSchedule("w5"), () -> {}))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("entry w5 was not reached");
  }

  @Test
  void packagesThatMatchNoClass_areReportedAfterTheFirstRun() throws Exception {
    String agent =
        "-javaagent:" + System.getProperty("heddle.world.jar") + "=points=sync,packages=";
    assertThat(OtherJvm.lines(SaysWhetherPointsLack.class, agent + "no.such"))
        .containsExactly("true");
    assertThat(OtherJvm.lines(SaysWhetherPointsLack.class, agent + "dev.heddle.test"))
        .containsExactly("false");
  }

  /// Prints what the notice depends on.
  static final class SaysWhetherPointsLack {
    private SaysWhetherPointsLack() {}

    public static void main(String[] args) {
      Simulation.run(() -> {});
      System.out.println(WorldAgent.lacksPoints());
    }
  }
}
