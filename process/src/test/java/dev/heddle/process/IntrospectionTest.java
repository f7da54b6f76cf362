// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.ProcessSnapshot.State;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a runtime says of itself.
@Timeout(300)
class IntrospectionTest {
  private final BlockingQueue<Invocation<Object>> calls = Kit.queue();
  private final BlockingQueue<LongStep> longSteps = Kit.queue();
  private final BlockingQueue<String> logged = Kit.queue();
  private final Logger log = Logger.getLogger("dev.heddle.process");
  private ProcessRuntime runtime = builder().workers(2).start();

  private ProcessRuntimeBuilder builder() {
    return ProcessRuntime.builder()
        .longStep(Duration.ofMillis(5), longSteps::add)
        .handler(Kit.Call.class, CommandHandler.inline((_, invocation) -> calls.add(invocation)));
  }

  @AfterEach
  void end() {
    runtime.close();
  }

  private ProcessSnapshot awaitState(Pid pid, State state) {
    await(() -> Objects.requireNonNull(runtime.process(pid)).state() == state);
    return Objects.requireNonNull(runtime.process(pid));
  }

  /// Looks until it is so, or the guard of the test interrupts.
  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      Thread.yield();
    }
  }

  @Test
  @Tag("proc-86")
  void states_areNamed() {
    assertThat(List.of(State.values()).stream().map(State::displayName))
        .containsExactly("ready", "running", "blocked", "idle", "complete");
  }

  @Test
  @Tag("proc-87")
  void idleProcess_isListed_withWhatItHas() {
    assertThat(runtime.processes()).isEmpty();
    Pid pid = runtime.spawn(Kit.resting(), StartOptions.defaults().withName("db"));
    awaitState(pid, State.IDLE);
    List<ProcessSnapshot> all = runtime.processes();
    assertThat(all).hasSize(1);
    ProcessSnapshot one = all.getFirst();
    assertThat(one.pid()).isEqualTo(pid);
    assertThat(one.state().displayName()).isEqualTo("idle");
    assertThat(one.steps()).isEqualTo(1);
    assertThat(one.mailbox()).isZero();
    assertThat(one.names()).containsExactly("db");
    assertThat(one.parent()).isNull();
    assertThat(one.stack()).isEmpty();
    assertThat(one.info()).contains(pid.toString(), "idle, 1 steps, 0 in the mailbox, named db");
    runtime.terminate(pid);
    await(() -> runtime.process(pid) == null);
  }

  @Test
  @Tag("proc-86")
  void blockedProcess_saysForWhat_andItsMailboxGrows() throws Exception {
    AtomicInteger step = new AtomicInteger();
    Pid pid =
        runtime.spawn((_, out) -> {
          if (step.getAndIncrement() == 0) {
            out.execute(1, new Kit.Call("x"));
            out.awaitCommands();
          }
        });
    Invocation<Object> call = Kit.take(calls);
    awaitState(pid, State.BLOCKED);
    runtime.send(pid, "waits");
    ProcessSnapshot blocked = awaitState(pid, State.BLOCKED);
    assertThat(blocked.waitsFor()).isEqualTo("Call");
    assertThat(blocked.pendingCommands()).isEqualTo(1);
    assertThat(blocked.mailbox()).isEqualTo(1);
    assertThat(blocked.info()).contains("blocked for Call");
    call.complete("done");
    ProcessSnapshot idle = awaitState(pid, State.IDLE);
    assertThat(idle.waitsFor()).isNull();
    assertThat(idle.pendingCommands()).isZero();
  }

  @Test
  void runningProcess_hasTheStackOfItsStep_andAChildItsParent() throws Exception {
    CountDownLatch in = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Pid parent =
        runtime.spawn(
            Kit.process((self, _, _) ->
                self.spawn((_, _) -> {
                  in.countDown();
                  go.await();
                })));
    in.await();
    Pid child = runtime.processes().getLast().pid();
    ProcessSnapshot running = Objects.requireNonNull(runtime.process(child));
    assertThat(running.parent()).isEqualTo(parent);
    assertThat(running.state()).isEqualTo(State.RUNNING);
    assertThat(running.stack().toString()).contains("IntrospectionTest");
    go.countDown();
  }

  @Test
  @Tag("proc-26")
  @Tag("proc-27")
  void counters_countRunsAndSteps_perWorker() {
    AtomicInteger left = new AtomicInteger(5);
    runtime.close();
    runtime =
        ProcessRuntime.builder()
            .workers(1)
            .handler(
                Kit.Call.class,
                CommandHandler.inline((_, invocation) -> invocation.complete("done")))
            .start();
    Pid pid =
        runtime.spawn((_, out) -> {
          if (left.getAndDecrement() > 0) {
            out.execute(left.get(), new Kit.Call("x"));
          }
        });
    await(() -> left.get() < 0);
    assertThat(awaitState(pid, State.IDLE).steps()).isEqualTo(6);
    ProcessCounters counters = runtime.counters();
    assertThat(counters.executed()).isPositive();
    assertThat(counters.processes()).isEqualTo(1);
    assertThat(counters.started()).isEqualTo(1);
    // The worker parks when it likes, so only what does not move by itself can be compared.
    assertThat(counters.workers()).hasSize(1);
    assertThat(counters.workers().getFirst().number()).isZero();
    assertThat(counters.workers().getFirst().executed())
        .isPositive()
        .isEqualTo(runtime.workers().getFirst().executed());
  }

  @Test
  void counters_countWhatWasNotDelivered() throws Exception {
    AtomicInteger step = new AtomicInteger();
    Pid pid =
        runtime.spawn((_, out) -> {
          if (step.getAndIncrement() == 0) {
            out.execute(1, new Kit.Call("x"));
            out.awaitCommands();
          }
        });
    Invocation<Object> call = Kit.take(calls);
    awaitState(pid, State.BLOCKED);
    runtime.send(pid, "waits");
    var exit = runtime.whenExited(pid);
    runtime.terminate(pid);
    Kit.get(exit);
    assertThat(call.complete("too late")).isFalse();
    assertThat(runtime.counters().undelivered()).isEqualTo(1);
    assertThat(runtime.counters().lateResults()).isEqualTo(1);
  }

  @Test
  void queueDelay_isSampled() {
    while (runtime.counters().queueDelay().samples() == 0) {
      Kit.exit(runtime, runtime.spawn((_, out) -> out.done()));
    }
    assertThat(runtime.counters().queueDelay().percentile(1)).isPositive();
  }

  @Test
  void queueDelay_readsItsPlaces() {
    List<Long> counts = new java.util.ArrayList<>(QueueDelay.NONE.counts());
    counts.set(0, 90L);
    counts.set(10, 9L);
    counts.set(20, 1L);
    QueueDelay delay = new QueueDelay(counts);
    assertThat(delay.samples()).isEqualTo(100);
    assertThat(delay.percentile(0.5)).isEqualTo(Duration.ofNanos(1_000));
    assertThat(delay.percentile(0.99)).isEqualTo(Duration.ofNanos(1_024_000));
    assertThat(delay.percentile(1)).isEqualTo(Duration.ofNanos((1L << 20) * 1_000));
    assertThatThrownBy(() -> new QueueDelay(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void longStep_isLogged_withItsStack_andReported_once() throws Exception {
    Handler listening =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            logged.add(record.getLevel() + " " + record.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    log.addHandler(listening);
    Pid pid;
    LongStep told;
    String line;
    int tries = 0;
    do { // a busy machine may hold a step up before it is in ours
      tries++;
      CountDownLatch go = new CountDownLatch(1);
      pid = runtime.spawn((_, _) -> go.await());
      told = Kit.take(longSteps);
      line = Kit.take(logged);
      go.countDown();
    } while (!told.stack().toString().contains("IntrospectionTest"));
    log.removeHandler(listening);
    assertThat(told.pid()).isEqualTo(pid);
    assertThat(told.duration()).isGreaterThanOrEqualTo(Duration.ofMillis(5));
    assertThat(line)
        .startsWith("WARNING process " + pid)
        .contains("a step must not block", "at ", "IntrospectionTest");
    awaitState(pid, State.IDLE);
    assertThat(runtime.counters().longSteps()).isEqualTo(tries);
  }

  @Test
  void longStep_isInAFlightRecording(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("steps.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("dev.heddle.LongProcessStep");
      recording.start();
      CountDownLatch go = new CountDownLatch(1);
      Pid pid = runtime.spawn((_, _) -> go.await());
      Kit.take(longSteps);
      go.countDown();
      recording.stop();
      recording.dump(file);
      List<RecordedEvent> events = new ArrayList<>(RecordingFile.readAllEvents(file));
      // each second the counts of some runtime come, too
      events.removeIf(
          event -> !event.getEventType().getName().equals("dev.heddle.LongProcessStep"));
      assertThat(events).hasSize(1);
      assertThat(events.getFirst().getString("pid")).isEqualTo(pid.toString());
      assertThat(events.getFirst().getDuration("lasted")).isPositive();
    }
    assertThat(Files.size(file)).isPositive();
  }

  @Test
  void aHandlerOfLongSteps_thatThrows_isAskedAgain() throws Exception {
    BlockingQueue<LongStep> told = Kit.queue();
    runtime.close();
    runtime =
        ProcessRuntime.builder()
            .longStep(
                Duration.ofMillis(5),
                step -> {
                  told.add(step);
                  throw new IllegalStateException("handler failed");
                })
            .start();
    for (int i = 0; i < 2; i++) {
      CountDownLatch go = new CountDownLatch(1);
      Pid pid = runtime.spawn((_, _) -> go.await());
      assertThat(Kit.take(told).pid()).isEqualTo(pid);
      go.countDown();
    }
    assertThatThrownBy(() -> ProcessRuntime.builder().longStep(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void runtime_isAnMXBean_untilItsEnd_twoOfOneNameToo() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = new ObjectName("dev.heddle:type=ProcessRuntime,name=watched");
    ObjectName second = new ObjectName("dev.heddle:type=ProcessRuntime,name=watched-2");
    // without the short limit of the others: a step may be held up for longer by a busy machine
    try (ProcessRuntime watched = ProcessRuntime.builder().workers(1).host("watched").start();
        ProcessRuntime other = builder().workers(1).host("watched").start()) {
      Pid pid = watched.spawn(Kit.resting(), StartOptions.defaults().withName("db"));
      await(() -> Objects.requireNonNull(watched.process(pid)).state() == State.IDLE);
      ProcessRuntimeMXBean bean = JMX.newMXBeanProxy(server, name, ProcessRuntimeMXBean.class);
      assertThat(bean.getName()).isEqualTo("watched");
      assertThat(bean.getProcesses()).isEqualTo(1);
      assertThat(bean.getStarted()).isEqualTo(1);
      assertThat(bean.getExecuted()).isEqualTo(1);
      assertThat(bean.getWorkers()).isEqualTo(1);
      assertThat(bean.getUndelivered() + bean.getLateResults() + bean.getLongSteps()).isZero();
      assertThat(bean.getQueueDelay99Micros())
          .isGreaterThanOrEqualTo(bean.getQueueDelayMedianMicros());
      assertThat(bean.table()).contains(pid.toString(), "idle", "db");
      assertThat(bean.workerTable()).startsWith("worker 0 ").contains("1 executed");
      assertThat(server.getAttribute(second, "Processes")).isEqualTo(other.processes().size());
    }
    assertThat(server.isRegistered(name)).isFalse();
    assertThat(server.isRegistered(second)).isFalse();
  }

  @Test
  @Tag("proc-86")
  void bodyThatWaitsInTheJdk_waitsForNoCommand_thoughItHasYieldedOneBefore() throws Exception {
    BlockingQueue<String> queue = Kit.queue();
    CountDownLatch slept = new CountDownLatch(1);
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              self.sleep(Duration.ZERO);
              slept.countDown();
              return queue.take();
            }));
    slept.await();
    ProcessSnapshot waiting = awaitState(pid, State.BLOCKED);
    assertThat(waiting.pendingCommands()).isZero();
    assertThat(waiting.waitsFor()).isNull();
    queue.add("go on");
  }

  @Test
  void longStepOfABody_isReported_withTheStackOfTheBody() throws Exception {
    LongStep told;
    String asked;
    do { // a busy machine may hold a step up before it is in the spin; a run is reported once
      AtomicBoolean enough = new AtomicBoolean();
      Pid pid =
          runtime.spawn(
              CoroutineProcess.of(self -> {
                self.sleep(Duration.ZERO);
                spinInTheBody(enough);
                return null;
              }));
      do {
        told = Kit.take(longSteps); // of the one before there may be a second one, of its spin
      } while (!told.pid().equals(pid));
      asked = Objects.requireNonNull(runtime.process(pid)).stack().toString();
      enough.set(true);
    } while (!told.stack().toString().contains("spinInTheBody"));
    assertThat(asked).contains("spinInTheBody");
  }

  private static void spinInTheBody(AtomicBoolean enough) {
    while (!enough.get()) {
      Thread.onSpinWait();
    }
  }
}
