// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.observe.Dump;
import dev.heddle.process.ProcessSnapshot.State;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.MBeanServerNotification;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What people, programs and recordings are told of a runtime.
@Timeout(300)
class RuntimeDumpTest {
  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      assertThat(Thread.currentThread().isInterrupted()).as("interrupted by the guard").isFalse();
      Thread.yield();
    }
  }

  private static void awaitState(ProcessRuntime runtime, Pid pid, State state) {
    await(() -> Objects.requireNonNull(runtime.process(pid)).state() == state);
  }

  private static String announced() {
    return System.getProperty("dev.heddle.processes", "0");
  }

  @Test
  void dump_showsWorkers_processesAndTheStackOfAStep_andFoldsThoseAlike() throws Exception {
    CountDownLatch in = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(2).host("shop").start()) {
      for (int i = 0; i < 5; i++) {
        awaitState(runtime, runtime.spawn(Kit.resting()), State.IDLE);
      }
      Pid busy =
          runtime.spawn((_, _) -> {
            in.countDown();
            go.await();
          });
      in.await();
      String dump = runtime.dump();
      go.countDown();
      assertThat(dump)
          .startsWith("Runtime 'shop', up for ")
          .contains(": 6 processes on 2 workers, ", "\n6 started, ", "\nworker 1 ")
          .contains("  and 2 more, alike\n")
          .containsPattern("(?s)\\Q" + busy + "\\E \\S+ running, 1 steps.*\n  at .*RuntimeDumpTest")
          .doesNotContain("and 1 more");
    }
  }

  @Test
  void dumpForPrograms_isJson_ofAllProcesses_withQuotesEscaped() {
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start()) {
      for (int i = 0; i < 5; i++) {
        StartOptions options = StartOptions.defaults().withName("a \"b\"\n" + i);
        awaitState(runtime, runtime.spawn(Kit.resting(), options), State.IDLE);
      }
      String json = runtime.bean.dumpJson();
      assertThat(json)
          .startsWith("{\"runtime\":\"heddle\",\"uptimeMillis\":")
          .contains("\"p99\":", "\"workers\":[{\"worker\":0,\"asleep\":")
          .contains(
              "\"state\":\"idle\",\"starting\":false,\"waitsFor\":null,\"mailbox\":0,\"steps\":1,")
          .contains(
              "\"names\":[\"a \\\"b\\\"\\u000a4\"],\"links\":[],\"monitored\":[],\"stack\":[]}]}");
      assertThat(json.split("\"pid\":", -1)).hasSize(6);
    }
  }

  @Test
  void dumpOfALoop_showsTheRuntimesBesideIt_whileTheyRun() {
    Dump dump;
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(1).host("stall").start()) {
      awaitState(runtime, runtime.spawn(Kit.resting()), State.IDLE);
      dump = Heddle.run(Heddle::dump);
      String other = Loop.start(() -> Loop.current().dump().text()).join();
      assertThat(other).contains("Runtime 'stall', up for ", "\nworker 0 ", " idle, 1 steps, ");
    }
    assertThat(dump.text())
        .startsWith("Loop 'heddle', ")
        .contains("\nRuntime 'stall', up for ", "\nworker 0 ", " idle, 1 steps, ");
    assertThat(dump.json()).contains("\"parts\": [", "{\"runtime\":\"stall\",");
    assertThat(Heddle.run(Heddle::dump).text()).doesNotContain("Runtime 'stall'");
  }

  @Test
  void runtimes_areAnnounced_byTheirNumber() {
    int before = Integer.parseInt(announced());
    ProcessRuntime one = ProcessRuntime.builder().workers(1).start();
    try (ProcessRuntime _ = ProcessRuntime.builder().workers(1).start()) {
      assertThat(announced()).isEqualTo("" + (before + 2));
      one.close();
      one.close();
      assertThat(announced()).isEqualTo("" + (before + 1));
    }
    assertThat(announced()).isEqualTo("" + before);
  }

  @Test
  void secondClose_waitsUntilTheRuntimeIsListedNowhere() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = new ObjectName("dev.heddle:type=ProcessRuntime,name=twice");
    ProcessRuntime runtime = ProcessRuntime.builder().workers(1).host("twice").start();
    BlockingQueue<Thread.State> seconds = Kit.queue();
    NotificationListener whileItLeaves =
        (what, _) -> {
          if (what instanceof MBeanServerNotification of
              && of.getType().equals(MBeanServerNotification.UNREGISTRATION_NOTIFICATION)
              && of.getMBeanName().equals(name)) {
            seconds.add(settled(Thread.ofPlatform().start(runtime::close)));
          }
        };
    server.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, whileItLeaves, null, null);
    runtime.close();
    server.removeNotificationListener(MBeanServerDelegate.DELEGATE_NAME, whileItLeaves);
    assertThat(Kit.take(seconds)).isEqualTo(Thread.State.WAITING);
  }

  /// Waits until a thread waits or has ended.
  private static Thread.State settled(Thread thread) {
    await(() ->
        thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TERMINATED);
    return thread.getState();
  }

  @Test
  void abnormalEnd_isInAFlightRecording_normalOnesAreNot(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("ends.jfr");
    try (Recording recording = new Recording();
        ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start()) {
      recording.enable("dev.heddle.AbnormalProcessEnd");
      recording.start();
      Pid failed =
          runtime.spawn((_, _) -> {
            throw new IllegalStateException("no luck");
          });
      Kit.exit(runtime, failed);
      Kit.exit(runtime, runtime.spawn((_, out) -> out.done()));
      recording.stop();
      recording.dump(file);
      List<RecordedEvent> events = RecordingFile.readAllEvents(file);
      assertThat(events).hasSize(1);
      assertThat(events.getFirst().getString("pid")).isEqualTo(failed.toString());
      assertThat(events.getFirst().getString("kind"))
          .isEqualTo("dev.heddle.process.RuntimeDumpTest$$Lambda");
      assertThat(events.getFirst().getString("reason")).isEqualTo("FAILED");
      assertThat(events.getFirst().getString("message")).isEqualTo("no luck");
      assertThat(events.getFirst().getClass("failure").getName())
          .isEqualTo("java.lang.IllegalStateException");
    }
  }

  @Test
  void idleRuntime_isInAFlightRecording_eachSecond() throws Exception {
    BlockingQueue<RecordedEvent> seen = Kit.queue();
    try (RecordingStream recording = new RecordingStream();
        ProcessRuntime runtime = ProcessRuntime.builder().workers(1).host("idle").start()) {
      recording.enable("dev.heddle.ProcessRuntimeCounts");
      recording.onEvent("dev.heddle.ProcessRuntimeCounts", seen::add);
      recording.startAsync();
      awaitState(runtime, runtime.spawn(Kit.resting()), State.IDLE);
      RecordedEvent event = Kit.take(seen);
      while (!event.getString("runtime").equals("idle") || event.getInt("processes") == 0) {
        event = Kit.take(seen);
      }
      assertThat(event.getInt("processes")).isEqualTo(1);
      assertThat(event.getLong("started")).isEqualTo(1);
      assertThat(event.getDuration("queueDelayP99"))
          .isGreaterThanOrEqualTo(event.getDuration("queueDelayMedian"));
    }
  }

  @Test
  void delays_sinceAnEarlierLook_areTheNewOnes() {
    List<Long> counts = new java.util.ArrayList<>(QueueDelay.NONE.counts());
    counts.set(3, 10L);
    QueueDelay earlier = new QueueDelay(counts);
    counts.set(3, 12L);
    counts.set(5, 1L);
    QueueDelay since = new QueueDelay(counts).since(earlier);
    assertThat(since.samples()).isEqualTo(3);
    assertThat(since.counts().get(3)).isEqualTo(2);
    assertThat(since.since(QueueDelay.NONE)).isEqualTo(since);
  }
}
