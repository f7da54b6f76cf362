// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The end of a runtime.
@Timeout(300)
class RuntimeShutdownTest {
  private static ProcessRuntimeBuilder two() {
    return ProcessRuntime.builder().workers(2);
  }

  /// Waits until a process is between two steps: one that is held up in a step may be abandoned.
  private static void awaitIdle(ProcessRuntime runtime, Pid pid) {
    while (Objects.requireNonNull(runtime.process(pid)).state() != ProcessSnapshot.State.IDLE) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      Thread.yield();
    }
  }

  @Test
  @Tag("P12")
  @Tag("proc-75")
  void processesThatTrapExits_areAsked_andEndByThemselves() throws Exception {
    ProcessRuntime runtime = two().start();
    CountDownLatch ready = new CountDownLatch(10);
    AtomicInteger asked = new AtomicInteger();
    for (int i = 0; i < 10; i++) {
      runtime.spawn(
          Kit.process((self, events, out) -> {
            if (events.isEmpty()) {
              self.trapExits();
              ready.countDown();
            } else if (events.getFirst().data() instanceof ProcessSignal.Cancel) {
              asked.incrementAndGet();
              out.done();
            }
          }));
    }
    ready.await();
    assertThat(runtime.shutdown(Kit.SOON)).isEqualTo(new ShutdownReport(10, 0, List.of()));
    assertThat(asked).hasValue(10);
  }

  @Test
  @Tag("P12")
  void close_givesTheTimeThatTheBuilderWasGiven() throws Exception {
    ProcessRuntime runtime = two().shutdownDeadline(Duration.ofDays(2)).start();
    CountDownLatch ready = new CountDownLatch(1);
    Pid pid =
        runtime.spawn(
            Kit.process((self, events, out) -> {
              if (events.isEmpty()) {
                self.trapExits();
                ready.countDown();
              } else if (events.getFirst().data() instanceof ProcessSignal.Cancel cancel) {
                out.done(cancel.remaining());
              }
            }));
    ready.await();
    var exit = runtime.whenExited(pid);
    runtime.close();
    assertThat((Duration) Kit.get(exit).result()).isGreaterThan(Duration.ofDays(1));
  }

  @Test
  @Tag("proc-76")
  void processThatIgnoresIt_isEndedInTime() throws Exception {
    ShutdownReport report;
    int tries = 0;
    do { // the runtime keeps a second for its end, and a machine that stood still abandons it
      tries++;
      report = endOfADeafOne();
    } while (!report.abandoned().isEmpty() && tries < 10);
    assertThat(report).isEqualTo(new ShutdownReport(1, 1, List.of()));
  }

  private static ShutdownReport endOfADeafOne() throws Exception {
    ProcessRuntime runtime = two().start();
    CountDownLatch ready = new CountDownLatch(1);
    Pid deaf =
        runtime.spawn(
            Kit.process((self, _, _) -> {
              self.trapExits();
              ready.countDown();
            }));
    ready.await();
    awaitIdle(runtime, deaf);
    var exit = runtime.whenExited(deaf);
    ShutdownReport report = runtime.shutdown(Duration.ofSeconds(4));
    assertThat(Kit.get(exit).reason())
        .isEqualTo(report.abandoned().isEmpty() ? Exit.Reason.TERMINATED : Exit.Reason.ABANDONED);
    return report;
  }

  @Test
  @Tag("proc-71")
  @Tag("proc-72")
  void processesThatStepAgainAndAgain_areEnded_noneIsInAStepAfterwards() throws Exception {
    ProcessRuntime runtime = two().start();
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger closed = new AtomicInteger();
    CountDownLatch stepped = new CountDownLatch(50);
    for (int i = 0; i < 50; i++) {
      runtime.spawn(
          new Process() {
            private boolean counted;

            @Override
            public void step(List<ProcessEvent> events, StepOutput out) {
              inside.incrementAndGet();
              if (!counted) {
                counted = true;
                stepped.countDown();
              }
              out.continueNow();
              inside.decrementAndGet();
            }

            @Override
            public void close() {
              closed.incrementAndGet();
            }
          });
    }
    stepped.await();
    assertThat(runtime.shutdown(Kit.SOON).abandoned()).isEmpty();
    assertThat(inside).hasValue(0);
    assertThat(closed).hasValue(50);
  }

  @Test
  @Tag("proc-208")
  void cleanUpThatWaitsForACommand_isWaitedFor() throws Exception {
    AtomicInteger cleaned = new AtomicInteger();
    ProcessRuntime runtime =
        two()
            .handler(
                Kit.Call.class,
                CommandHandler.onLoop((_, _) -> {
                  Heddle.delay(Duration.ofMillis(30));
                  return "saved";
                }))
            .start();
    CountDownLatch ready = new CountDownLatch(1);
    Pid pid =
        runtime.spawn(
            Kit.process((self, events, out) -> {
              self.trapExits();
              ready.countDown();
              for (ProcessEvent event : events) {
                if (event.data() instanceof ProcessSignal.Cancel) {
                  out.execute(1, new Kit.Call("save"));
                } else if ("saved".equals(event.data())) {
                  cleaned.incrementAndGet();
                  out.done("clean");
                }
              }
            }));
    ready.await();
    var exit = runtime.whenExited(pid);
    assertThat(runtime.shutdown(Kit.SOON)).isEqualTo(new ShutdownReport(1, 0, List.of()));
    assertThat(Kit.get(exit).result()).isEqualTo("clean");
    assertThat(cleaned).hasValue(1);
  }

  @Test
  @Tag("proc-209")
  void stepThatDoesNotReturn_isAbandoned_andNamedWithItsStack() throws Exception {
    ProcessRuntime runtime = two().start();
    CountDownLatch inStep = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Pid stuck =
        runtime.spawn(
            new Process() {
              @Override
              public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
                inStep.countDown();
                goOn.await();
              }

              @Override
              public void close() {
                closed.countDown();
              }
            });
    inStep.await();
    var exit = runtime.whenExited(stuck);
    ShutdownReport report = runtime.shutdown(Duration.ofMillis(50));
    assertThat(report.abandoned()).hasSize(1);
    assertThat(report.abandoned().getFirst().pid()).isEqualTo(stuck);
    assertThat(report.abandoned().getFirst().stack())
        .anyMatch(frame -> frame.getMethodName().equals("step"));
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.ABANDONED);
    assertThat(runtime.offer(stuck, "to nobody")).isEqualTo(SendResult.CLOSED);
    goOn.countDown();
    closed.await();
  }

  @Test
  @Tag("P12")
  @Tag("proc-209")
  void processesBehindAStepThatDoesNotReturn_areNotifiedAllTheSame_andAreNotNamed()
      throws Exception {
    ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start();
    CountDownLatch inStep = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Pid stuck =
        runtime.spawn((_, _) -> {
          inStep.countDown();
          goOn.await();
        });
    inStep.await();
    CountDownLatch closed = new CountDownLatch(10);
    List<CompletableFuture<Exit>> exits = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      exits.add(runtime.whenExited(runtime.spawn(closing(closed))));
    }
    ShutdownReport report = runtime.shutdown(Duration.ofMillis(50));
    assertThat(report.terminated()).isZero();
    assertThat(report.abandoned()).extracting(ShutdownReport.Abandoned::pid).containsExactly(stuck);
    for (CompletableFuture<Exit> exit : exits) {
      assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.SHUTDOWN);
    }
    goOn.countDown();
    closed.await();
  }

  private static Process closing(CountDownLatch closed) {
    return new Process() {
      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {}

      @Override
      public void close() {
        closed.countDown();
      }
    };
  }

  @Test
  @Tag("P12")
  void processesForWhichThereIsNoTime_areEndedAfterTheDeadline() throws Exception {
    ProcessRuntime runtime = two().start();
    CountDownLatch closed = new CountDownLatch(1_000);
    List<CompletableFuture<Exit>> exits = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      exits.add(runtime.whenExited(runtime.spawn(closing(closed))));
    }
    ShutdownReport report = runtime.shutdown(Duration.ofDays(-1));
    assertThat(report.asked()).isZero();
    assertThat(report.abandoned()).hasSizeLessThanOrEqualTo(2); // those in a step: one for a worker
    exits.forEach(Kit::get);
    closed.await();
  }

  @Test
  @Tag("P12")
  void timesBeyondAllCalendars_areLongOnes() throws Exception {
    Duration forever = ChronoUnit.FOREVER.getDuration();
    ProcessRuntime runtime = two().longStep(forever).start();
    Pid answering =
        runtime.spawn(
            Kit.process((self, events, out) -> {
              self.trapExits();
              for (ProcessEvent event : events) {
                if (event.data() instanceof Request request) {
                  request.reply().complete("pong");
                } else if (event.data() instanceof ProcessSignal.Cancel) {
                  out.done();
                }
              }
            }));
    assertThat(runtime.<String>ask(answering, "ping", forever)).isEqualTo("pong");
    var asks =
        runtime.spawn(
            CoroutineProcess.of(self -> self.execute(Commands.ask(answering, "ping", forever))));
    assertThat(Kit.exit(runtime, asks).result()).isEqualTo("pong");
    var ticks =
        runtime.spawn(
            CoroutineProcess.of(self ->
                self.execute(
                    Commands.tick(forever), Duration.ofMillis(1)))); // does not fail before
    assertThat(Kit.exit(runtime, ticks).cause()).isInstanceOf(DeadlineException.class);
    var exit = runtime.whenExited(answering);
    runtime.cancel(answering, "enough", forever);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.NORMAL);
    assertThat(runtime.shutdown(forever)).isEqualTo(new ShutdownReport(0, 0, List.of()));
  }

  @Test
  @Tag("proc-74")
  void startsAndEndsOfRuntimes_withSpawnsAtOnce_neverFail() throws Exception {
    for (int i = 0; i < 10; i++) {
      ProcessRuntime runtime = two().start();
      CountDownLatch some = new CountDownLatch(100);
      List<Thread> spawners = new ArrayList<>();
      for (int t = 0; t < 3; t++) {
        spawners.add(Thread.ofPlatform().start(() -> spawnUntilRefused(runtime, some)));
      }
      some.await();
      assertThat(runtime.shutdown(Kit.SOON).abandoned()).isEmpty();
      for (Thread spawner : spawners) {
        spawner.join();
      }
    }
  }

  private static void spawnUntilRefused(ProcessRuntime runtime, CountDownLatch each) {
    try {
      while (true) {
        runtime.spawn((_, out) -> out.done());
        each.countDown();
      }
    } catch (StartRefusedException _) {
      // it is shutting down
    }
  }

  /// Shuts down on a thread of its own, which is interrupted when `begun` is open.
  private static boolean interruptedShutdown(ProcessRuntime runtime, CountDownLatch begun)
      throws InterruptedException {
    return interruptedShutdown(runtime, begun, () -> {});
  }

  /// The same; `begun` may be open a moment before all is as it is to be interrupted.
  private static boolean interruptedShutdown(
      ProcessRuntime runtime, CountDownLatch begun, Runnable untilReady)
      throws InterruptedException {
    AtomicBoolean kept = new AtomicBoolean();
    Thread closing =
        Thread.ofPlatform()
            .start(() -> {
              runtime.shutdown(Duration.ofDays(1));
              kept.set(Thread.currentThread().isInterrupted());
            });
    begun.await();
    untilReady.run();
    closing.interrupt();
    closing.join();
    return kept.get();
  }

  private static boolean isThread(String name) {
    return Thread.getAllStackTraces().keySet().stream().anyMatch(t -> t.getName().startsWith(name));
  }

  @Test
  @Tag("P12")
  void shutdown_endsTheThreadOfTheTimers_whateverIsArmed() {
    ProcessRuntime runtime = two().host("timed").start();
    assertThat(isThread("heddle-timers-timed")).isTrue();
    runtime.spawn(CoroutineProcess.of(self -> self.receive(Duration.ofDays(1))));
    runtime.spawn((_, out) -> out.execute(1, Commands.sleep(Duration.ofDays(1))));
    runtime.shutdown(Duration.ofMinutes(4));
    assertThat(isThread("heddle-timers-timed")).isFalse();
  }

  @Test
  @Tag("P12")
  @Tag("proc-209")
  void interrupt_ofTheThreadThatShutsDown_endsAllAtOnce_andIsKept() throws Exception {
    ShutdownReport report;
    int tries = 0;
    do { // it leaves 100 ms, and a machine that stood still abandons the process
      tries++;
      report = interruptedEndOfADeafOne();
    } while (!report.abandoned().isEmpty() && tries < 10);
    assertThat(report).isEqualTo(new ShutdownReport(1, 1, List.of()));
  }

  private static ShutdownReport interruptedEndOfADeafOne() throws Exception {
    ProcessRuntime runtime = two().host("cut").start();
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch ready = new CountDownLatch(1);
    AtomicInteger closed = new AtomicInteger();
    Pid deaf =
        runtime.spawn(
            new Process() {
              @Override
              public void init(ProcessContext self, String method, @Nullable Object input) {
                self.trapExits();
                ready.countDown();
              }

              @Override
              public void step(List<ProcessEvent> events, StepOutput out) {
                if (!events.isEmpty()) {
                  asked.countDown();
                }
              }

              @Override
              public void close() {
                closed.incrementAndGet();
              }
            });
    ready.await();
    var exit = runtime.whenExited(deaf);
    assertThat(interruptedShutdown(runtime, asked, () -> awaitIdle(runtime, deaf))).isTrue();
    ShutdownReport report = runtime.shutdown(Kit.SOON);
    if (report.abandoned().isEmpty()) {
      assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.TERMINATED);
      assertThat(closed).hasValue(1);
    }
    while (isThread("cut-")) {
      Thread.onSpinWait(); // they were told to leave
    }
    return report;
  }

  @Test
  @Tag("P12")
  void interrupt_abandonsAStepThatDoesNotReturn() throws Exception {
    ProcessRuntime runtime = two().start();
    CountDownLatch inStep = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Pid stuck =
        runtime.spawn(
            Kit.process((_, _, _) -> {
              inStep.countDown();
              goOn.await();
            }));
    inStep.await();
    var exit = runtime.whenExited(stuck);
    assertThat(interruptedShutdown(runtime, inStep)).isTrue();
    assertThat(runtime.shutdown(Kit.SOON).abandoned()).hasSize(1);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.ABANDONED);
    goOn.countDown();
  }

  @Test
  @Tag("P12")
  void linkedChildren_areLeftToAParentThatTrapsExits_untilItHasEnded() throws Exception {
    ProcessRuntime runtime = two().start();
    BlockingQueue<String> order = Kit.queue();
    CountDownLatch ready = new CountDownLatch(2);
    Process child =
        Kit.process((self, events, out) -> {
          if (events.isEmpty()) {
            self.trapExits();
            ready.countDown();
          } else if (events.getFirst().data() instanceof ProcessSignal.Cancel) {
            order.add("child");
            out.done();
          }
        });
    runtime.spawn(
        Kit.process((self, events, out) -> {
          if (events.isEmpty()) {
            self.trapExits();
            self.spawn(child, StartOptions.defaults().linked());
            ready.countDown();
          } else if (events.getFirst().data() instanceof ProcessSignal.Cancel) {
            out.execute(1, dev.heddle.process.Commands.sleep(Duration.ofMillis(1)));
          } else {
            order.add("parent");
            out.done();
          }
        }));
    ready.await();
    assertThat(runtime.shutdown(Kit.SOON)).isEqualTo(new ShutdownReport(2, 0, List.of()));
    assertThat(order).containsExactly("parent", "child");
  }

  @Test
  @Tag("P12")
  void shutdown_twice_isOne() {
    ProcessRuntime runtime = two().start();
    assertThat(runtime.shutdown(Kit.SOON)).isSameAs(runtime.shutdown(Kit.SOON));
  }
}
