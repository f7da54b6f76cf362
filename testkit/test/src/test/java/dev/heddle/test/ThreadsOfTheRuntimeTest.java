// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

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

  /// Prints the names of the runtime's threads that the first run has left to the JVM.
  static final class StartsTheWatchdog {
    private StartsTheWatchdog() {}

    public static void main(String[] args) {
      var record = Simulation.record(SimulationOptions.defaults(), () -> true);
      IO.println("ended: " + record.value());
      Thread.getAllStackTraces().keySet().stream()
          .filter(thread -> !thread.isVirtual())
          .map(Thread::getName)
          .filter("heddle-watchdog"::equals)
          .forEach(IO::println);
    }
  }
}
