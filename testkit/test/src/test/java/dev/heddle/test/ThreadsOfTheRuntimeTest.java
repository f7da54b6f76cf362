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
  void watchdogThatARunStarts_isNoThreadOfThatRun() throws Exception {
    List<String> lines =
        OtherJvm.lines(
            StartsTheWatchdog.class, "-javaagent:" + System.getProperty("heddle.world.jar"));
    assertThat(lines).containsExactly("ended: true", "heddle-watchdog");
  }

  /// Prints the names of the watchdogs that a loop has after a simulation.
  static final class StartsTheWatchdog {
    private StartsTheWatchdog() {}

    public static void main(String[] args) throws Exception {
      var record = Simulation.record(SimulationOptions.defaults(), () -> true);
      IO.println("ended: " + record.value());
      Heddle.run(StartsTheWatchdog::print); // a watchdog without a loop ends after a while
    }

    private static void print() {
      Thread.getAllStackTraces().keySet().stream()
          .filter(thread -> !thread.isVirtual())
          .map(Thread::getName)
          .filter("heddle-watchdog"::equals)
          .forEach(IO::println);
    }
  }
}
