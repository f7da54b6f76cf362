// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.heddle.observe.trace.Recording;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.process.RecordedTrace.Entry;
import dev.heddle.process.scheduler.WorkerPool;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.sync.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The trace of a runtime, as the session of an observer records it.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("watch-3")
class RuntimeTraceTest {
  private static final String NAME = "traced"; // other tests may have left workers of others

  private final BlockingQueue<Invocation<Object>> calls = Kit.queue();
  private final ProcessRuntime runtime =
      ProcessRuntime.builder()
          .host(NAME)
          .workers(2)
          .handler(Kit.Call.class, CommandHandler.inline((_, invocation) -> calls.add(invocation)))
          .start();

  @AfterEach
  void end() {
    runtime.close();
  }

  private Recording record() {
    return ((RuntimeBean) runtime.mxBean()).record();
  }

  /// A process that another worker ran to its end at once was said to end twice.
  @Test
  void processes_endOnceEach_whicheverWorkerEndsThem() {
    int count = 3_000;
    List<Pid> all =
        IntStream.range(0, count)
            .mapToObj(_ ->
                runtime.spawn(
                    Kit.process((_, events, out) -> {
                      if (!events.isEmpty()) {
                        out.done(1);
                      }
                    })))
            .toList();
    all.forEach(each -> Kit.awaitIdle(runtime, each));
    Recording recording = record();
    all.forEach(each -> runtime.send(each, "end"));
    all.forEach(each -> Kit.exit(runtime, each));
    RecordedTrace trace = RecordedTrace.of(recording);
    recording.close();

    assertThat(trace.all(TraceKind.END))
        .extracting(Entry::who)
        .doesNotHaveDuplicates()
        .hasSizeBetween(count - 2, count); // each worker may be at the end of one
    assertThat(trace.all(TraceKind.RUN))
        .filteredOn(run -> run.code().equals("ends"))
        .extracting(Entry::who)
        .doesNotHaveDuplicates();
  }

  @Test
  void commands_areThereFromIssueToReply_withTheirClass() throws Exception {
    int count = 50;
    Recording recording = record();
    int[] got = new int[1];
    Pid asking =
        runtime.spawn(
            Kit.process((_, events, out) -> {
              if (events.isEmpty()) {
                for (int i = 0; i < count; i++) {
                  out.execute(i + 1, new Kit.Call("nr " + i));
                }
              }
              got[0] += events.size();
              if (got[0] == count) {
                out.done(1);
              }
            }));
    List<Invocation<Object>> asked = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      asked.add(Kit.take(calls));
    }
    asked.getFirst().fail(new IllegalStateException("no"));
    asked.stream().skip(1).forEach(each -> each.complete("done"));
    assertThat(asked.getFirst().complete("late")).isFalse();
    Kit.exit(runtime, asking);
    RecordedTrace trace = RecordedTrace.of(recording);
    recording.close();

    assertThat(trace.all(TraceKind.COMMAND, asking))
        .hasSize(count)
        .extracting(Entry::code)
        .containsOnly("Call");
    List<Entry> replies = trace.all(TraceKind.COMMAND_DONE, asking);
    assertThat(replies).hasSize(count).extracting(Entry::ring).containsOnly(RecordedTrace.OTHERS);
    assertThat(replies).filteredOn(each -> each.code().equals("failed")).hasSize(1);
    for (Entry reply : replies) {
      assertThat(trace.all(TraceKind.COMMAND, asking))
          .filteredOn(each -> each.other() == reply.other())
          .singleElement()
          .satisfies(command -> assertThat(command.time()).isLessThanOrEqualTo(reply.time()));
    }
  }

  /// Its reply was there without it.
  @Test
  void commandOfABodyOnACompensatingWorker_isThere_amongTheOthers() throws Exception {
    ReentrantLock lock = new ReentrantLock(true);
    ProcessRuntime one = ProcessRuntime.builder().workers(1).longStep(Duration.ofHours(1)).start();
    try {
      lock.lock();
      Pid body =
          one.spawn(
              CoroutineProcess.ofAction(self -> {
                lock.lock(); // handed to it while the only worker stands behind it
                lock.unlock();
                self.execute(Commands.sleep(Duration.ofMillis(1)));
              }));
      awaitInLine(lock, 1);
      Pid step =
          one.spawn((_, out) -> {
            lock.lock();
            lock.unlock();
            out.done();
          });
      awaitInLine(lock, 2);
      Recording recording = ((RuntimeBean) one.mxBean()).record();
      lock.unlock();
      Kit.exit(one, body);
      Kit.exit(one, step);
      RecordedTrace trace = RecordedTrace.of(recording);
      recording.close();

      assertThat(trace.all(TraceKind.COMMAND, body))
          .extracting(Entry::ring, Entry::code)
          .containsExactly(tuple(RecordedTrace.OTHERS, "Sleep"));
      assertThat(trace.all(TraceKind.COMMAND_DONE, body)).hasSize(1);
    } finally {
      one.close();
    }
  }

  private static void awaitInLine(ReentrantLock lock, int threads) {
    while (lock.getQueueLength() < threads) {
      Thread.onSpinWait();
    }
  }

  @Test
  void stepThatDoesNotReturn_stillRuns() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(1);
    Recording recording = record();
    Pid stuck =
        runtime.spawn((events, _) -> {
          inside.countDown();
          held.await();
        });
    inside.await();
    RecordedTrace trace = RecordedTrace.of(recording);
    recording.close();
    held.countDown();

    assertThat(trace.rings())
        .filteredOn(ring -> ring.containsKey("heldBy"))
        .singleElement()
        .satisfies(ring -> assertThat(ring).containsEntry("heldBy", Long.toString(stuck.id())));
    assertThat(trace.names()).containsKey(stuck.id());
  }

  /// A message is in one entry with the run that was given it, and that has none yet.
  @Test
  void stepThatDoesNotReturn_hasReceivedItsMessage() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(1);
    Pid stuck =
        runtime.spawn((events, _) -> {
          if (!events.isEmpty()) {
            inside.countDown();
            held.await();
          }
        });
    Kit.awaitIdle(runtime, stuck);
    Recording recording = record();
    runtime.send(stuck, "hold");
    inside.await();
    RecordedTrace trace = RecordedTrace.of(recording);
    recording.close();
    held.countDown();

    assertThat(trace.all(TraceKind.RECEIVED, stuck))
        .extracting(Entry::other)
        .containsExactlyElementsOf(
            trace.all(TraceKind.MESSAGE, stuck).stream().map(Entry::number).toList())
        .hasSize(1);
  }

  @Test
  void recordingThatIsStoppedTwice_saysTheSame_andLeavesNoTrace() {
    Recording recording = record();
    assertThatThrownBy(this::record)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("another observer");
    List<Map<String, String>> first = recording.stop();
    Kit.exit(runtime, runtime.spawn((_, out) -> out.done(1)));
    assertThat(recording.stop()).isEqualTo(first);
    recording.close();
    record().close();
  }

  /// Also where a run has no reading of the clock for its beginning.
  @Test
  void runsOfAWorker_doNotOverlap() {
    int[] steps = new int[1];
    Recording recording = record();
    Pid second = runtime.spawn(Kit.untilMessage());
    Pid first =
        runtime.spawn(
            Kit.process((self, events, out) -> {
              if (steps[0]++ < 200) {
                self.send(self.self(), "again");
              } else {
                self.send(second, "end");
                out.done(1);
              }
            }));
    Kit.exit(runtime, first);
    Kit.exit(runtime, second);
    RecordedTrace trace = RecordedTrace.of(recording);
    recording.close();

    Map<String, Long> ends = new HashMap<>();
    for (Entry run : trace.all(TraceKind.RUN)) {
      assertThat(run.other()).isLessThan(run.time());
      Long before = ends.put(run.ring(), run.time());
      assertThat(before == null ? 0 : before).isLessThan(run.other());
    }
  }

  // ---- runs, and what the runtime has counted ----

  private static long sum(List<WorkerCounters> workers, ToLongFunction<WorkerCounters> figure) {
    return workers.stream().mapToLong(figure).sum();
  }

  private static long sumOfRings(RecordedTrace trace, String figure) {
    return trace.rings().stream()
        .mapToLong(ring -> Long.parseLong(ring.getOrDefault(figure, "0")))
        .sum();
  }

  // so that no entry is missing at either end: a worker counts a park just before its thread waits
  private List<WorkerCounters> awaitAsleep() {
    while (true) {
      boolean asleep = runtime.workers().stream().allMatch(WorkerCounters::asleep);
      if (asleep && workerThreads().allMatch(each -> each.getState() == Thread.State.WAITING)) {
        return runtime.workers();
      }
      Thread.onSpinWait();
    }
  }

  private static Stream<Thread> workerThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().startsWith(NAME + "-worker-"));
  }

  @Test
  void countsOfTheTrace_areThoseOfTheRuntime() {
    List<WorkerCounters> before = awaitAsleep();
    long started = runtime.counters().started();
    Recording recording = record();
    int pairs = 50;
    List<Pid> all =
        IntStream.range(0, pairs)
            .mapToObj(_ ->
                runtime.spawn(
                    Kit.process((self, events, out) -> {
                      if (events.isEmpty()) {
                        Pid child = self.spawn(Kit.untilMessage());
                        self.send(child, "end");
                        out.execute(1, Commands.sleep(Duration.ofMillis(1)));
                      } else {
                        out.done(1);
                      }
                    })))
            .toList();
    all.forEach(each -> Kit.exit(runtime, each));
    List<WorkerCounters> after = awaitAsleep();
    started = runtime.counters().started() - started;
    RecordedTrace trace;
    do { // the timer's thread notes what it has completed after the process may have ended
      trace = RecordedTrace.of(recording);
    } while (trace.all(TraceKind.COMMAND_DONE).size() < pairs);
    recording.close();

    assertThat(trace.all(TraceKind.RUN))
        .hasSize(
            (int) (sum(after, WorkerCounters::executed) - sum(before, WorkerCounters::executed)));
    assertThat(trace.all(TraceKind.SLEEP))
        .hasSize((int) (sum(after, WorkerCounters::parks) - sum(before, WorkerCounters::parks)));
    assertThat(trace.all(TraceKind.STEAL).stream().mapToLong(Entry::number).sum())
        .isEqualTo(sum(after, WorkerCounters::stolen) - sum(before, WorkerCounters::stolen))
        .isEqualTo(sumOfRings(trace, "stolen"));
    assertThat(trace.all(TraceKind.RUN)).hasSize((int) sumOfRings(trace, "executed"));
    assertThat(trace.all(TraceKind.SLEEP)).hasSize((int) sumOfRings(trace, "parks"));
    assertThat(trace.all(TraceKind.SPAWN)).hasSize((int) started).hasSize(2 * pairs);
    assertThat(trace.all(TraceKind.SPAWN)).filteredOn(each -> each.other() != 0).hasSize(pairs);
    assertThat(trace.all(TraceKind.END)).hasSize(2 * pairs);
    assertThat(trace.all(TraceKind.MESSAGE)).hasSize(pairs);
    assertThat(trace.all(TraceKind.COMMAND)).hasSize(pairs);
    assertThat(trace.all(TraceKind.COMMAND_DONE)).hasSize(pairs);
  }

  @Test
  void restartsOfSupervisors_areThoseThatTheyHaveCounted() {
    Kit.Step fails =
        (_, _, _) -> {
          throw new IllegalStateException("again");
        };
    Supervisor supervisor =
        Supervisor.builder()
            .child(ChildSpec.of("child", () -> Kit.process(fails)))
            .backoff(Backoff.constant(Duration.ZERO))
            .intensity(5, Duration.ofHours(1))
            .build();
    Recording recording = record();
    Pid pid = runtime.spawn(supervisor);
    assertThat(Kit.exit(runtime, pid).isFailure()).isTrue();
    RecordedTrace trace = RecordedTrace.of(recording);
    recording.close();

    assertThat(supervisor.restarts()).isPositive();
    assertThat(trace.all(TraceKind.RESTART)).hasSize((int) supervisor.restarts());
    assertThat(trace.all(TraceKind.RESTART, pid)).hasSize((int) supervisor.restarts());
    assertThat(trace.all(TraceKind.END))
        .filteredOn(end -> end.who() != pid.id())
        .isNotEmpty()
        .allSatisfy(end -> assertThat(end.code()).isEqualTo("fails"));
  }

  @Test
  void run_endsForTheReasonThatTheProcessHas() throws Exception {
    Recording recording = record();
    Pid rests = runtime.spawn(Kit.resting());
    Pid waits =
        runtime.spawn((events, out) -> {
          out.execute(1, new Kit.Call("never"));
          out.awaitCommands();
        });
    Invocation<Object> _ = Kit.take(calls);
    int most = 10_000; // they fit into the ring, however long this thread has to wait
    AtomicInteger number = new AtomicInteger();
    Pid steps =
        runtime.spawn((events, out) -> {
          if (number.incrementAndGet() < most) {
            out.continueNow();
          }
        });
    while (runtime.process(steps).steps() < 100) { // some budgets of a run
      Thread.onSpinWait();
    }
    Kit.awaitIdle(runtime, rests);
    Kit.awaitState(runtime, waits, ProcessSnapshot.State.BLOCKED);
    runtime.terminate(steps);
    Kit.exit(runtime, steps);
    List<WorkerCounters> _ = awaitAsleep();
    RecordedTrace trace = RecordedTrace.of(recording);
    recording.close();

    assertThat(trace.all(TraceKind.RUN, rests)).extracting(Entry::code).containsOnly("message");
    assertThat(trace.all(TraceKind.RUN, waits)).extracting(Entry::code).containsOnly("Call");
    assertThat(trace.all(TraceKind.RUN, steps)) // on both workers, a ring after the other
        .extracting(Entry::code)
        .contains("yields")
        .containsOnlyOnce("ends");
    assertThat(trace.all(TraceKind.END, steps))
        .extracting(Entry::code)
        .containsExactly("is terminated");
  }

  /// Each run and each message would cost something for ever.
  @Test
  void recordingThatHasEnded_leavesTheWorkersAsTheyWere() {
    WorkerPool workers = ((RuntimeBean) runtime.mxBean()).workers();
    assertThat(workers.isObserved()).isFalse();
    Recording recording = record();
    assertThat(workers.isObserved()).isTrue();
    List<Map<String, String>> _ = recording.stop();
    assertThat(workers.isObserved()).isFalse();
    recording.close();
    assertThat(workers.isObserved()).isFalse();
  }
}
