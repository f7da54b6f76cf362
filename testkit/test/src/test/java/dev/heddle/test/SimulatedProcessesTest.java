// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.process.Commands;
import dev.heddle.process.CoroutineMailbox;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Runtimes of processes that the body of a simulation starts.
class SimulatedProcessesTest {
  private static final Duration HOUR = Duration.ofHours(1);

  /// Processes, a coroutine with a mailbox, and commands on the loop, all by messages.
  private static String conversation() throws Exception {
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();
        CoroutineMailbox mailbox = runtime.mailbox(100)) {
      for (int i = 0; i < 5; i++) {
        int number = i;
        var _ =
            runtime.spawn(
                CoroutineProcess.of(self -> {
                  self.sleep(Duration.ofMinutes(number % 2));
                  self.context().send(mailbox.pid(), "a" + number);
                  String from =
                      self.execute(
                          Commands.onLoop(() -> {
                            Heddle.delay(Duration.ofMinutes(1));
                            return "loop" + Heddle.inCoroutine();
                          }));
                  self.context().send(mailbox.pid(), from + number);
                  return null;
                }));
      }
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < 10; i++) {
        all.append(mailbox.receive()).append(' ');
      }
      return all.toString();
    }
  }

  @Test
  void conversation_repeatsItselfByItsSeed_andDiffersByOthers() {
    Set<Long> courses = new HashSet<>();
    Set<String> texts = new HashSet<>();
    for (long seed = 0; seed < 20; seed++) {
      SimulationOptions options = SimulationOptions.defaults().withSeed(seed);
      SimulationResult<String> first =
          Simulation.run(options, SimulatedProcessesTest::conversation);
      SimulationResult<String> again =
          Simulation.run(options, SimulatedProcessesTest::conversation);
      assertThat(again.fingerprint()).isEqualTo(first.fingerprint());
      assertThat(again.value()).isEqualTo(first.value()).contains("looptrue0");
      assertThat(first.uncontrolled()).isEmpty();
      assertThat(first.elapsed()).isBetween(Duration.ofMinutes(2), Duration.ofMinutes(3));
      courses.add(first.fingerprint());
      texts.add(first.value());
      // and so it does by its decisions
      SimulationResult<String> replay =
          Simulation.run(
              options.withStrategy(Strategy.fifo()).withSchedule(first.schedule()),
              SimulatedProcessesTest::conversation);
      assertThat(replay.fingerprint()).isEqualTo(first.fingerprint());
    }
    assertThat(courses).hasSize(20);
    assertThat(texts).hasSizeGreaterThan(10);
  }

  @Test
  void waitOfACoroutineForAProcess_isInVirtualTime() {
    SimulationResult<?> result =
        Simulation.run(() -> {
          try (ProcessRuntime runtime = ProcessRuntime.start()) {
            Pid sleeps =
                runtime.spawn(
                    CoroutineProcess.of(self -> {
                      self.sleep(HOUR);
                      return "woken";
                    }));
            assertThat(Heddle.await(runtime.whenExited(sleeps)).result()).isEqualTo("woken");
            Pid again = runtime.spawn(CoroutineProcess.of(self -> self.receive("never"::equals)));
            assertThatThrownBy(() -> runtime.awaitExit(again, HOUR))
                .isInstanceOf(dev.heddle.DeadlineException.class);
          }
        });
    assertThat(result.elapsed())
        .isBetween(HOUR.multipliedBy(2), HOUR.multipliedBy(2).plusSeconds(1));
  }

  // tag::lost-update[]
  /// A counter that two clients read and then write, each by a message.
  private static int twoClients() throws Exception {
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      int[] count = new int[1];
      Pid counter =
          runtime.spawn(
              CoroutineProcess.of(self -> {
                for (int i = 0; i < 4; i++) {
                  switch (self.receive(_ -> true)) {
                    case Pid asks -> self.context().send(asks, count[0]);
                    case Integer set -> count[0] = set;
                    case null, default -> throw new IllegalStateException();
                  }
                }
                return null;
              }));
      for (int i = 0; i < 2; i++) {
        var _ =
            runtime.spawn(
                CoroutineProcess.of(self -> {
                  self.context().send(counter, self.context().self());
                  self.context().send(counter, self.receive(Integer.class) + 1);
                  return null;
                }));
      }
      var _ = Heddle.await(runtime.whenExited(counter));
      return count[0];
    }
  }

  // end::lost-update[]

  @Test
  void lostUpdateBetweenProcesses_isFoundAndShrunk() {
    assertThatThrownBy(() ->
            Simulation.explore(() -> {
              assertThat(twoClients()).isEqualTo(2);
            }))
        .isInstanceOf(SimulationError.class)
        .hasMessageContaining("expected: 2");
    Set<Integer> counts = new TreeSet<>();
    for (long seed = 0; seed < 50; seed++) {
      counts.add(
          Simulation.run(
                  SimulationOptions.defaults().withSeed(seed), SimulatedProcessesTest::twoClients)
              .value());
    }
    assertThat(counts).containsExactly(1, 2);
  }

  @Test
  void leakedProcess_isNamed() {
    assertThatThrownBy(() ->
            Simulation.run(() -> {
              ProcessRuntime runtime = ProcessRuntime.builder().host("bank").start();
              Pid left = runtime.spawn(CoroutineProcess.of(CoroutineProcess::receive));
              assertThat(Heddle.await(runtime.whenStarted(left))).isTrue();
            }))
        .hasMessageContaining(
            "process runtime 'bank' was not shut down; started at"
                + " dev.heddle.test.SimulatedProcessesTest.")
        .hasMessageContaining("waits for receive");
  }

  private static void mutated() {
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      Pid to = runtime.spawn(CoroutineProcess.of(CoroutineProcess::receive));
      List<Object> order = new ArrayList<>(List.of("tea", new AtomicInteger()));
      runtime.send(to, order);
      order.add("rum");
      var _ = Heddle.await(runtime.whenExited(to));
    }
  }

  @Test
  void mutatedMessage_failsTheRunByName_unlessMessagesAreNotChecked() {
    SimulationResult<?> result =
        Simulation.record(
            SimulationOptions.defaults(),
            () -> {
              mutated();
              return null;
            });
    assertThat(result.failure())
        .hasMessageContaining("was changed before it was received")
        .hasMessageContaining("message: 2 elements -> 3 elements");
    assertThat(result.uncheckedMessages()).containsExactly(AtomicInteger.class.getName());
    SimulationResult<?> unchecked =
        Simulation.run(
            SimulationOptions.defaults().withoutMessageChecks(), SimulatedProcessesTest::mutated);
    assertThat(unchecked.uncheckedMessages()).isEmpty();
  }

  @Test
  void processesThatAskEachOther_failTheRunWithTheReport() {
    assertThatThrownBy(() ->
            Simulation.run(() -> {
              try (ProcessRuntime runtime = ProcessRuntime.start()) {
                List<Pid> ring = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                  ring.add(
                      runtime.spawn(
                          CoroutineProcess.of(
                              self -> runtime.ask(self.receive(Pid.class), "?", HOUR))));
                }
                runtime.send(ring.get(0), ring.get(1));
                runtime.send(ring.get(1), ring.get(0));
                var _ = Heddle.await(runtime.whenExited(ring.get(0)));
              }
            }))
        .hasMessageContaining("deadlock of 2 processes")
        .hasMessageContaining("waits for a reply");
  }

  @Test
  void callOnAThread_runsOnTheLoop() {
    SimulationResult<String> result =
        Simulation.run(() -> {
          try (ProcessRuntime runtime = ProcessRuntime.start()) {
            Pid calls =
                runtime.spawn(
                    CoroutineProcess.of(
                        self -> self.execute(Commands.call(() -> "in " + Heddle.inCoroutine()))));
            return String.valueOf(Heddle.await(runtime.whenExited(calls)).result());
          }
        });
    assertThat(result.value()).isEqualTo("in true");
    assertThat(result.uncontrolled()).isEmpty();
  }

  @Test
  void exhaustive_coversTheOrdersOfTwoSenders() {
    Set<Object> orders = new HashSet<>();
    Exploration all =
        Simulation.explore(
            SimulationOptions.defaults().withStrategy(Strategy.exhaustive(20_000)),
            () -> {
              try (ProcessRuntime runtime = ProcessRuntime.start();
                  CoroutineMailbox mailbox = runtime.mailbox(2)) {
                for (String text : List.of("a", "b")) {
                  var _ =
                      runtime.spawn((_, out) -> {
                        runtime.send(mailbox.pid(), text);
                        out.done();
                      });
                }
                orders.add("" + mailbox.receive() + mailbox.receive());
              }
            });
    assertThat(orders).containsExactlyInAnyOrder("ab", "ba");
    assertThat(all.runs()).isGreaterThan(1);
  }
}
