// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Threads that serve the whole JVM and are first needed inside a run, in JVMs of their own: in
/// this one they may run already.
@Tag("agent")
@Timeout(600)
class ThreadsOfTheRuntimeTest {
  @Test
  @Tag("sim-1")
  void run_startsNoWatchdog_aLoopBehindItDoes() throws Exception {
    List<String> lines =
        OtherJvm.lines(
            StartsTheWatchdog.class, "-javaagent:" + System.getProperty("heddle.world.jar"));
    assertThat(lines).containsExactly("ended: true", "no watchdog", "a watchdog");
  }

  /// Says whether there is a watchdog, after a simulation and inside a loop.
  static final class StartsTheWatchdog {
    private StartsTheWatchdog() {}

    public static void main(String[] args) throws Exception {
      var record = Simulation.record(SimulationOptions.defaults(), () -> true);
      IO.println("ended: " + record.value());
      print();
      Heddle.run(StartsTheWatchdog::print);
    }

    private static void print() {
      boolean isThere =
          Thread.getAllStackTraces().keySet().stream()
              .map(Thread::getName)
              .anyMatch("heddle-watchdog"::equals);
      IO.println(isThere ? "a watchdog" : "no watchdog");
    }
  }
}
