// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.heddle.observe.trace.Recording;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.sync.Backoff;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What workers do, as events of a flight recording.
@Tag("watch-3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RuntimeFlightTest {
  private static final List<String> ALL =
      List.of(
          "ProcessRun",
          "ProcessWakeUp",
          "ProcessSpawn",
          "ProcessMessage",
          "CommandIssued",
          "CommandCompleted",
          "SupervisorRestart",
          "TaskSteal",
          "WorkerSleep");

  private interface Program {
    void run(ProcessRuntime runtime) throws Exception;
  }

  @TempDir private Path folder = Path.of("");
  private ProcessCounters counted = noCounters();

  private static ProcessCounters noCounters() {
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start()) {
      return runtime.counters();
    }
  }

  // a runtime of its own, that begins and ends in the recording
  private List<RecordedEvent> recorded(List<String> enabled, int workers, Program program)
      throws Exception {
    Path file = folder.resolve("flight.jfr");
    try (jdk.jfr.Recording recording = new jdk.jfr.Recording()) {
      enabled.forEach(each -> recording.enable("dev.heddle." + each));
      recording.start();
      ProcessRuntime runtime = ProcessRuntime.builder().workers(workers).start();
      try (runtime) {
        program.run(runtime);
      }
      counted = runtime.counters();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .filter(each -> ALL.contains(kind(each)))
        .toList();
  }

  private static String kind(RecordedEvent event) {
    return event.getEventType().getName().replace("dev.heddle.", "");
  }

  private static List<RecordedEvent> all(List<RecordedEvent> events, String kind) {
    return events.stream().filter(each -> kind(each).equals(kind)).toList();
  }

  private static Stream<RecordedEvent> of(List<RecordedEvent> events, String kind, Pid process) {
    return all(events, kind).stream()
        .filter(each -> process.toString().equals(each.getString("pid")));
  }

  private static void spawnSleeper(ProcessRuntime runtime) {
    Pid sleeper = runtime.spawn((_, out) -> out.execute(1, Commands.sleep(Duration.ofDays(1))));
    Kit.awaitState(runtime, sleeper, ProcessSnapshot.State.BLOCKED);
  }

  @Test
  void enabledEvents_areWhatTheRuntimeHasCounted() throws Exception {
    int messages = 20;
    int[] got = new int[1];
    Pid[] pids = new Pid[2];
    List<RecordedEvent> events =
        recorded(
            ALL,
            2,
            runtime -> {
              pids[0] =
                  runtime.spawn(
                      Kit.process((_, arrived, out) -> {
                        got[0] += arrived.size();
                        if (got[0] == messages) {
                          out.done(1);
                        }
                      }));
              pids[1] =
                  runtime.spawn(
                      Kit.process((self, arrived, out) -> {
                        if (arrived.isEmpty()) {
                          out.execute(7, Commands.sleep(Duration.ofMillis(1)));
                          return;
                        }
                        for (int i = 0; i < messages; i++) {
                          self.send(pids[0], i);
                        }
                        self.spawn(Kit.untilMessage());
                        out.done(1);
                      }));
              Kit.exit(runtime, pids[0]);
              Kit.exit(runtime, pids[1]);
              spawnSleeper(runtime);
            });

    assertThat(all(events, "ProcessRun")).hasSize((int) counted.executed());
    assertThat(of(events, "ProcessRun", pids[1]))
        .allSatisfy(each -> assertThat(each.getString("kind")).startsWith(Kit.class.getName()))
        .extracting(each -> each.getString("then"))
        .contains("ends");
    assertThat(all(events, "ProcessRun"))
        .extracting(each -> each.getString("then"))
        .contains("waits for command or message");
    assertThat(of(events, "ProcessMessage", pids[0]))
        .hasSize(messages)
        .extracting(each -> each.getString("from"))
        .containsOnly(pids[1].toString());
    assertThat(all(events, "ProcessSpawn")).hasSize((int) counted.started());
    assertThat(all(events, "ProcessSpawn"))
        .filteredOn(each -> pids[1].toString().equals(each.getString("by")))
        .hasSize(1);
    assertThat(of(events, "CommandIssued", pids[1]))
        .extracting(each -> each.getString("command"), each -> each.getLong("tag"))
        .containsExactly(tuple("Sleep", 7L));
    assertThat(of(events, "CommandCompleted", pids[1]))
        .extracting(each -> each.getLong("tag"), each -> each.getBoolean("failed"))
        .containsExactly(tuple(7L, false));
    assertThat(all(events, "TaskSteal").stream().mapToInt(each -> each.getInt("count")).sum())
        .isEqualTo(counted.workers().stream().mapToLong(WorkerCounters::stolen).sum());
  }

  /// The JDK loses the first event of a thread that has carried a virtual thread.
  @Test
  void runsOfBodies_areAllThere() throws Exception {
    int count = 300;
    List<RecordedEvent> events =
        recorded(
            ALL,
            1,
            runtime -> {
              Pid other = runtime.spawn(Kit.untilMessage());
              Pid body =
                  runtime.spawn(
                      CoroutineProcess.of(self -> {
                        for (int i = 0; i < count; i++) {
                          self.receive();
                        }
                        self.context().send(other, "end");
                        return 1;
                      }));
              for (int i = 0; i < count; i++) {
                runtime.send(body, i);
              }
              Kit.exit(runtime, body);
              Kit.exit(runtime, other);
            });
    assertThat(all(events, "ProcessRun")).hasSize((int) counted.executed());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void runInWhichABodyBeginsAndEnds_isThere(boolean isWithinAnother) throws Exception {
    Pid[] pids = new Pid[2];
    List<RecordedEvent> events =
        recorded(
            ALL,
            1,
            runtime -> {
              pids[0] = runtime.spawn(Kit.untilMessage());
              CoroutineProcess body =
                  CoroutineProcess.of(self -> {
                    self.context().send(pids[0], "end"); // an event of the body's own thread
                    return 1;
                  });
              pids[1] = runtime.spawn(isWithinAnother ? new Around(body) : body);
              Kit.exit(runtime, pids[1]);
              Kit.exit(runtime, pids[0]);
            });
    assertThat(of(events, "ProcessRun", pids[1]))
        .extracting(each -> each.getString("then"))
        .containsExactly("ends");
    assertThat(all(events, "ProcessRun")).hasSize((int) counted.executed());
  }

  /// A process that has another one do its work.
  private record Around(Process inner) implements Process {
    @Override
    public void init(ProcessContext self, String method, @Nullable Object input) throws Exception {
      inner.init(self, method, input);
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
      inner.step(events, out);
    }
  }

  @Test
  void restarts_areThoseOfTheSupervisor() throws Exception {
    int failures = 3;
    int[] begun = new int[1];
    Pid[] supervisor = new Pid[1];
    List<RecordedEvent> events =
        recorded(
            ALL,
            1,
            runtime -> {
              CountDownLatch rests = new CountDownLatch(1);
              supervisor[0] =
                  runtime.spawn(
                      Supervisor.builder()
                          .backoff(Backoff.constant(Duration.ZERO))
                          .child(
                              ChildSpec.of(
                                  "fails",
                                  () ->
                                      (_, _) -> {
                                        if (++begun[0] <= failures) {
                                          throw new IllegalStateException("again");
                                        }
                                        rests.countDown();
                                      }))
                          .build());
              rests.await();
            });
    assertThat(of(events, "SupervisorRestart", supervisor[0])).hasSize(failures);
    assertThat(all(events, "ProcessRun"))
        .filteredOn(each -> "fails".equals(each.getString("then")))
        .hasSize(failures);
  }

  @Test
  void recordingThatDoesNotEnableThem_hasNone_andTheWorkersCallNothing() throws Exception {
    boolean[] observed = new boolean[1];
    List<RecordedEvent> events =
        recorded(
            List.of("LongProcessStep"),
            1,
            runtime -> {
              observed[0] = runtime.bean.workers().isObserved();
              Kit.exit(runtime, runtime.spawn((_, out) -> out.done(1)));
            });
    assertThat(events).isEmpty();
    assertThat(observed[0]).isFalse();
  }

  @Test
  void recordingThatBeginsAndEnds_whileTheRuntimeRuns_leavesNothing() {
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start()) {
      assertThat(runtime.bean.workers().isObserved()).isFalse();
      try (jdk.jfr.Recording recording = new jdk.jfr.Recording()) {
        recording.enable("dev.heddle.ProcessRun");
        recording.start();
        awaitObserved(runtime, true);
        // the trace is another observer
        try (Recording trace = runtime.bean.record()) {
          Kit.exit(runtime, runtime.spawn((_, out) -> out.done(1)));
          trace.stop();
        }
        assertThat(runtime.bean.workers().isObserved()).isTrue();
      }
      awaitObserved(runtime, false);
    }
  }

  // the monitor looks once a second
  private static void awaitObserved(ProcessRuntime runtime, boolean wanted) {
    while (runtime.bean.workers().isObserved() != wanted) {
      Thread.onSpinWait();
    }
  }

  @Test
  void messageOfAnotherThread_hasNoSender() throws Exception {
    Pid[] waiting = new Pid[1];
    List<RecordedEvent> events =
        recorded(
            List.of("ProcessMessage"),
            1,
            runtime -> {
              waiting[0] = runtime.spawn(Kit.untilMessage());
              runtime.send(waiting[0], "end");
              Kit.exit(runtime, waiting[0]);
            });
    assertThat(of(events, "ProcessMessage", waiting[0]))
        .singleElement()
        .satisfies(each -> {
          assertThat(each.getString("from")).isNull();
          assertThat(each.getInt("worker")).isEqualTo(-1);
        });
    assertThat(events).hasSize(1);
  }
}
