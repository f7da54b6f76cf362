// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.heddle.Heddle;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.process.CoroutineMailbox;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.test.Simulation;
import dev.heddle.test.SimulationError;
import dev.heddle.test.SimulationOptions;
import dev.heddle.test.SimulationResult;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Several runtimes of processes in one simulation, each on a node.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessNodeTest {
  private static final int PORT = 80;
  private static final Duration HOUR = Duration.ofHours(1);

  /// Tells each client how many came before, which a process counts.
  private static void count() throws Exception {
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();
        CoroutineMailbox answers = runtime.mailbox(100);
        Listener listener = Tcp.listen(new InetSocketAddress(PORT))) {
      Pid counter =
          runtime.spawn(
              CoroutineProcess.of(self -> {
                for (int count = 0; ; count++) {
                  self.receive("next"::equals);
                  self.sleep(Duration.ofMillis(1));
                  self.context().send(answers.pid(), String.valueOf(count));
                }
              }));
      while (true) {
        try (StreamSocket client = listener.accept()) {
          runtime.send(counter, "next");
          client.write(UTF_8.encode(answers.receive() + "\n"));
        }
      }
    }
  }

  private static List<String> conversation(long seed) {
    List<String> said = new ArrayList<>();
    SimulationResult<?> result =
        Simulation.run(
            SimulationOptions.defaults().withSeed(seed),
            () -> {
              try (Node server = Node.start("server", ProcessNodeTest::count);
                  Node client =
                      Node.start(
                          "client",
                          () -> {
                            for (int i = 0; i < 6; i++) {
                              if (i == 3) {
                                Heddle.delay(HOUR);
                              }
                              try (StreamSocket socket = Tcp.connect("server", PORT)) {
                                said.add(socket.readLine());
                              }
                            }
                          })) {
                Heddle.delay(Duration.ofMinutes(30));
                server.crash();
                server.restart();
                client.await();
              }
            });
    assertThat(result.elapsed()).isBetween(HOUR, HOUR.plusMinutes(1));
    assertThat(said).containsExactly("0", "1", "2", "0", "1", "2");
    said.add(String.valueOf(result.fingerprint()));
    return said;
  }

  @Test
  @Tag("sim-20")
  void runtimesOnNodes_talk_andBeginAnewAfterACrash() {
    List<String> first = conversation(1);
    assertThat(conversation(1)).isEqualTo(first);
    assertThat(conversation(2)).isNotEqualTo(first);
  }

  @Test
  @Tag("sim-20")
  void runtimeThatANodeLeaves_isNamed() {
    SimulationError failed =
        catchThrowableOfType(
            SimulationError.class,
            () ->
                Simulation.run(() -> {
                  Node node = Node.start("careless", () -> ProcessRuntime.start());
                  node.await();
                }));
    assertThat(failed).hasMessageContaining("careless: process runtime");
  }
}
