// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlineException;
import dev.heddle.process.Commands;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.ShutdownReport;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import dev.heddle.process.WorkerCounters;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.Supervisor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SimulatedRuntimeTest {
  private static final Duration HOUR = Duration.ofHours(1);

  /// A step process that passes each number on until it is 0, and then tells `end`.
  private static Process relay(List<Pid> ring, Pid end) {
    return new Process() {
      private @Nullable ProcessContext self;

      @Override
      public void init(ProcessContext context, String method, @Nullable Object input) {
        self = context;
      }

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {
        for (ProcessEvent event : events) {
          int left = (Integer) event.data();
          Pid next = left == 0 ? end : ring.get(left % ring.size());
          self.send(next, left == 0 ? "end" : left - 1);
        }
      }
    };
  }

  /// Relays and bodies that send to each other, with timers, and workers that steal.
  private static void mixed(ProcessSimulation simulation) throws Exception {
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(3).start()) {
      List<Pid> ring = new ArrayList<>();
      Pid end =
          runtime.spawn(
              CoroutineProcess.of(self -> {
                for (int ends = 0; ends < 20; ends++) {
                  var _ = self.receive("end"::equals, HOUR);
                  simulation.note("end " + ends);
                }
                return null;
              }));
      for (int i = 0; i < 4; i++) {
        ring.add(runtime.spawn(relay(ring, end)));
      }
      for (int i = 0; i < 20; i++) {
        int first = i;
        var _ =
            runtime.spawn(
                CoroutineProcess.of(self -> {
                  self.sleep(Duration.ofMillis(first % 3));
                  self.context().send(ring.get(first % 4), 5 + first % 7);
                  return null;
                }));
      }
      assertThat(runtime.awaitExit(end, HOUR).reason()).isEqualTo(Exit.Reason.NORMAL);
    }
  }

  @Test
  @Tag("sim-9")
  void sameSeed_inAHundredRuns_takesTheSameCourse() {
    ProcessSimulation first = ProcessSimulation.run(7, SimulatedRuntimeTest::mixed).orThrow();
    assertThat(first.lines()).hasSizeGreaterThan(100);
    for (int i = 0; i < 100; i++) {
      ProcessSimulation again = ProcessSimulation.run(7, SimulatedRuntimeTest::mixed).orThrow();
      assertThat(again.lines()).isEqualTo(first.lines());
      assertThat(again.fingerprint()).isEqualTo(first.fingerprint());
      assertThat(again.outsiders()).isEmpty();
    }
  }

  @Test
  @Tag("sim-9")
  void otherSeeds_takeOtherCourses() {
    Set<Long> courses = new HashSet<>();
    for (long seed = 0; seed < 50; seed++) {
      courses.add(ProcessSimulation.run(seed, SimulatedRuntimeTest::mixed).orThrow().fingerprint());
    }
    assertThat(courses).hasSize(50);
  }

  @Test
  @Tag("sim-9")
  void severalWorkers_stealBySeed() {
    long[] stolen = new long[2];
    for (long seed = 0; seed < 2; seed++) {
      int of = (int) seed;
      ProcessSimulation.run(
              seed,
              simulation -> {
                try (ProcessRuntime runtime = ProcessRuntime.builder().workers(3).start()) {
                  Pid end = runtime.spawn(CoroutineProcess.of(self -> self.receive("end"::equals)));
                  List<Pid> ring = new ArrayList<>();
                  ring.add(runtime.spawn(relay(ring, end)));
                  ring.add(runtime.spawn(relay(ring, end)));
                  runtime.send(ring.get(0), 40);
                  var _ = runtime.awaitExit(end, HOUR);
                  assertThat(runtime.workers()).hasSize(3);
                  stolen[of] = runtime.workers().stream().mapToLong(WorkerCounters::stolen).sum();
                }
              })
          .orThrow();
      assertThat(stolen[of]).isBetween(10L, 41L);
    }
    assertThat(ProcessSimulation.run(1, SimulatedRuntimeTest::oneWorker).orThrow().lines())
        .isNotEmpty()
        .allMatch(line -> line.startsWith("worker 0 "));
  }

  private static void oneWorker(ProcessSimulation simulation) throws InterruptedException {
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      assertThat(runtime.workers()).hasSize(1);
      var _ = runtime.awaitExit(runtime.spawn(CoroutineProcess.of(_ -> null)), HOUR);
    }
  }

  // ---- time ----

  @Test
  @Tag("sim-11")
  void waitsOfAnHour_endInVirtualTime() {
    ProcessSimulation simulation =
        ProcessSimulation.run(
                1,
                _ -> {
                  try (ProcessRuntime runtime = ProcessRuntime.start()) {
                    Pid body =
                        runtime.spawn(
                            CoroutineProcess.of(self -> {
                              self.sleep(HOUR);
                              assertThatThrownBy(() -> self.receive(_ -> true, HOUR))
                                  .isInstanceOf(DeadlineException.class);
                              Pid silent =
                                  runtime.spawn(
                                      CoroutineProcess.of(it -> it.receive("never"::equals)));
                              assertThatThrownBy(() -> runtime.ask(silent, "?", HOUR))
                                  .isInstanceOf(DeadlineException.class);
                              assertThatThrownBy(
                                      () -> self.execute(Commands.ask(silent, "?", HOUR)))
                                  .isInstanceOf(DeadlineException.class);
                              return "woken";
                            }));
                    assertThatThrownBy(() -> runtime.awaitExit(body, HOUR))
                        .isInstanceOf(DeadlineException.class);
                    Exit exit = runtime.awaitExit(body, Duration.ofDays(1));
                    assertThat(exit.cause()).isNull();
                    assertThat(exit.result()).isEqualTo("woken");
                  }
                })
            .orThrow();
    assertThat(simulation.elapsed())
        .isBetween(HOUR.multipliedBy(4), HOUR.multipliedBy(4).plusSeconds(1));
  }

  @Test
  @Tag("sim-11")
  void restartsOfASupervisor_areCountedInVirtualTime() {
    for (boolean soon : List.of(true, false)) {
      ProcessSimulation.run(
              1,
              _ -> {
                try (ProcessRuntime runtime = ProcessRuntime.start()) {
                  // two in a minute: the third failure ends the supervisor, unless it comes later
                  Pid supervisor =
                      runtime.spawn(
                          Supervisor.builder()
                              .child(
                                  ChildSpec.of("child", SimulatedRuntimeTest::failing)
                                      .withOptions(StartOptions.defaults().withName("child")))
                              .intensity(2, Duration.ofMinutes(1))
                              .build());
                  Pid pacer =
                      runtime.spawn(
                          CoroutineProcess.of(self -> {
                            for (int i = 0; i < 3; i++) {
                              runtime.send(runtime.awaitRegistered("child", HOUR), "fail");
                              self.sleep(soon ? Duration.ofSeconds(20) : Duration.ofMinutes(2));
                            }
                            return null;
                          }));
                  var _ = runtime.awaitExit(pacer, HOUR);
                  assertThat(runtime.process(supervisor) == null).isEqualTo(soon);
                }
              })
          .orThrow();
    }
  }

  private static Process failing() {
    return (events, _) -> {
      if (!events.isEmpty()) {
        throw new IllegalStateException("as asked");
      }
    };
  }

  @Test
  @Tag("sim-11")
  void shutdown_hasItsTimeInVirtualTime() {
    ProcessSimulation simulation =
        ProcessSimulation.run(
                3,
                _ -> {
                  ProcessRuntime runtime = ProcessRuntime.start();
                  CompletableFuture<Duration> left = new CompletableFuture<>();
                  Pid stubborn =
                      runtime.spawn(
                          CoroutineProcess.of(self -> {
                            self.context().trapExits();
                            left.complete(self.receive(ProcessSignal.Cancel.class).remaining());
                            return self.receive("never"::equals);
                          }));
                  assertThat(runtime.whenStarted(stubborn).get()).isTrue();
                  ShutdownReport report = runtime.shutdown(Duration.ofHours(4));
                  assertThat(report.terminated()).isEqualTo(1);
                  assertThat(left.get()).isEqualTo(Duration.ofHours(4).minusSeconds(1));
                })
            .orThrow();
    assertThat(simulation.elapsed()).isBetween(HOUR.multipliedBy(3), HOUR.multipliedBy(4));
  }

  // ---- what fails ----

  @Test
  @Tag("sim-12")
  void processThatIsLeft_isNamed() {
    ProcessSimulation simulation =
        ProcessSimulation.run(
            1,
            _ -> {
              ProcessRuntime runtime = ProcessRuntime.builder().incarnation(5).host("left").start();
              Pid left = runtime.spawn(CoroutineProcess.of(CoroutineProcess::receive));
              assertThat(runtime.whenStarted(left).get()).isTrue();
            });
    assertThat(simulation.orThrow().leaks())
        .singleElement()
        .asString()
        .contains("left")
        .contains("IDLE, waits for receive");
    assertThat(ProcessSimulation.run(1, SimulatedRuntimeTest::oneWorker).leaks()).isEmpty();
  }

  @Test
  @Tag("sim-12")
  void processesThatAskEachOther_areReportedAsInTheProduct() {
    ProcessSimulation simulation =
        ProcessSimulation.run(
            1,
            _ -> {
              try (ProcessRuntime runtime = ProcessRuntime.start()) {
                List<Pid> ring = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                  ring.add(
                      runtime.spawn(
                          CoroutineProcess.of(self ->
                              runtime.ask(self.receive(Pid.class), "?", Duration.ofDays(1)))));
                }
                runtime.send(ring.get(0), ring.get(1));
                runtime.send(ring.get(1), ring.get(0));
                var _ = runtime.whenExited(ring.get(0)).get();
              }
            });
    assertThat(simulation.failures())
        .singleElement()
        .asString()
        .contains("waits for")
        .contains("SimulatedRuntimeTest");
  }

  @Test
  void askThatIsRepliedToLate_isNoDeadlock() {
    ProcessSimulation.run(
            1,
            _ -> {
              try (ProcessRuntime runtime = ProcessRuntime.start()) {
                Pid slow =
                    runtime.spawn(
                        CoroutineProcess.of(self -> {
                          Request request = self.receive(Request.class);
                          self.sleep(HOUR);
                          assertThat(request.reply().complete("late")).isTrue();
                          return null;
                        }));
                Pid asks =
                    runtime.spawn(
                        CoroutineProcess.of(_ -> runtime.ask(slow, "?", Duration.ofDays(1))));
                assertThat(runtime.awaitExit(asks, Duration.ofDays(2)).result()).isEqualTo("late");
              }
            })
        .orThrow();
  }

  @Test
  void nothingThatCanGoOn_endsTheSimulationWithADump() {
    ProcessSimulation simulation =
        ProcessSimulation.run(
            1,
            _ -> {
              ProcessRuntime runtime = ProcessRuntime.start();
              Pid waits = runtime.spawn(CoroutineProcess.of(CoroutineProcess::receive));
              var _ = runtime.whenExited(waits).get();
            });
    assertThat(simulation.failures()).singleElement().asString().contains("nothing can go on");
  }

  @Test
  @Tag("sim-12")
  void bodyThatWaitsInRealTime_isRefusedWithItsStack() {
    ProcessSimulation simulation =
        ProcessSimulation.run(
            1,
            _ -> {
              ProcessRuntime runtime = ProcessRuntime.start();
              Pid sleeps =
                  runtime.spawn(
                      CoroutineProcess.of(_ -> {
                        Thread.sleep(HOUR);
                        return null;
                      }));
              assertThat(runtime.whenStarted(sleeps).get()).isTrue();
            });
    assertThat(simulation.failures())
        .singleElement()
        .asString()
        .contains("real time")
        .contains("java.lang.Thread.sleep");
  }

  @Test
  void threadFromOutside_isNamed() {
    ProcessSimulation simulation =
        ProcessSimulation.run(
            1,
            _ -> {
              try (ProcessRuntime runtime = ProcessRuntime.start()) {
                Pid receives = runtime.spawn(CoroutineProcess.of(CoroutineProcess::receive));
                assertThat(runtime.whenStarted(receives).get()).isTrue();
                Thread outside =
                    Thread.ofPlatform()
                        .name("outside")
                        .start(() -> runtime.send(receives, "hello"));
                while (outside.isAlive()) {
                  Thread.onSpinWait(); // holds the carrier, until it has sent
                }
                assertThat(runtime.whenExited(receives).get().result()).isEqualTo("hello");
              }
            });
    assertThat(simulation.outsiders()).isNotEmpty();
    assertThat(simulation.outsiders().toString()).contains("outside");
  }

  @Test
  void runtimeOutsideOfASimulation_hasRealWorkers() throws InterruptedException {
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start()) {
      Pid names = runtime.spawn(CoroutineProcess.of(_ -> Thread.currentThread().isVirtual()));
      assertThat(runtime.awaitExit(names, HOUR).result()).isEqualTo(true);
      assertThat(runtime.counters().workers()).hasSize(1);
    }
  }

  @Test
  void senderThatWaitsForSpace_isServed() {
    ProcessSimulation.run(
            5,
            _ -> {
              try (ProcessRuntime runtime = ProcessRuntime.start()) {
                StartOptions small = StartOptions.defaults().withMailbox(2, MailboxPolicy.SUSPEND);
                Pid receives =
                    runtime.spawn(
                        CoroutineProcess.of(self -> {
                          int sum = 0;
                          for (int i = 0; i < 100; i++) {
                            sum += self.receive(Integer.class);
                          }
                          return sum;
                        }),
                        small);
                for (int sender = 0; sender < 10; sender++) {
                  var _ =
                      runtime.spawn(
                          CoroutineProcess.of(self -> {
                            for (int i = 0; i < 10; i++) {
                              self.context().send(receives, i);
                            }
                            return null;
                          }));
                }
                assertThat(runtime.awaitExit(receives, HOUR).result()).isEqualTo(450);
              }
            })
        .orThrow();
  }
}
