// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// What a program pays for simulations that it does not use.
class SimulationCostTest {
  /// A program with processes of both kinds, timers, commands and a shutdown.
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws InterruptedException {
      try (ProcessRuntime runtime = ProcessRuntime.start()) {
        Pid steps = runtime.spawn((events, out) -> events.forEach(_ -> out.done()));
        Pid body =
            runtime.spawn(
                CoroutineProcess.of(self -> {
                  self.sleep(Duration.ofMillis(1));
                  self.context().send(steps, self.execute(Commands.call(() -> "done")));
                  return null;
                }));
        System.out.println(runtime.awaitExit(body, Duration.ofMinutes(1)).reason());
        System.out.println(runtime.awaitExit(steps, Duration.ofMinutes(1)).reason());
      }
    }
  }

  /// The folder or archive that a class is in; a test may lie elsewhere than the rest of its
  /// module.
  private static String place(Class<?> of) {
    String file = "/" + of.getName().replace('.', '/') + ".class";
    String found = Objects.requireNonNull(of.getResource(file), file).toString();
    String root = found.substring(0, found.length() - file.length());
    return Path.of(URI.create(root.replace("jar:", "").replace("!", ""))).toString();
  }

  @Test
  void programWithoutASimulation_loadsNoPartOfOne() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.add("-Xlog:class+load:stdout");
    command.add("-cp");
    String tests = place(SimulationCostTest.class);
    command.add(String.join(":", place(Heddle.class), place(Process.class), tests));
    command.add(Program.class.getName());
    java.lang.Process jvm = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(jvm.waitFor()).as(output).isZero();
    assertThat(output).contains("NORMAL").contains("dev.heddle.process.scheduler.WorkScheduler ");
    assertThat(
            output
                .lines()
                .filter(line -> line.contains("dev.heddle.process.") && line.contains("Simulated")))
        .as("classes of a simulation, whose presence makes calls indirect")
        .allMatch(
            line -> line.contains("process.SimulatedParts ")); // of which nothing hot is a part
  }
}
