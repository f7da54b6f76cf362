// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.internal.DaemonThread;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Threads that serve the whole JVM and are first needed inside a run, in JVMs of their own: in
/// this one they may run already.
@Tag("agent")
@Timeout(600)
class ThreadsOfTheRuntimeTest {
  private static final String NAME = "serves the JVM";

  @Test
  @Tag("sim-1")
  void threadThatServesTheJvm_isNoThreadOfTheRunThatStartsIt_andARunHasNoWatchdog()
      throws Exception {
    List<String> lines =
        OtherJvm.lines(StartsOne.class, "-javaagent:" + System.getProperty("heddle.world.jar"));
    assertThat(lines).containsExactly("ended: true", "serves the JVM");
  }

  /// Prints the names of the threads of the runtime that are there after a simulation.
  static final class StartsOne {
    private StartsOne() {}

    public static void main(String[] args) throws Exception {
      CountDownLatch over = new CountDownLatch(1);
      var record = Simulation.record(SimulationOptions.defaults(), () -> start(over));
      IO.println("ended: " + record.value());
      Thread.getAllStackTraces().keySet().stream()
          .filter(thread -> !thread.isVirtual())
          .map(Thread::getName)
          .filter(name -> name.equals(NAME) || name.equals("heddle-watchdog"))
          .distinct() // the run may have been repeated: see Runs
          .forEach(IO::println);
      over.countDown();
    }

    private static boolean start(CountDownLatch over) {
      DaemonThread.start(
          DaemonThread.of(
              NAME,
              () -> {
                try {
                  over.await();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              }));
      return true;
    }
  }
}
