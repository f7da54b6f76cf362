// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import dev.heddle.observe.trace.TraceTicks;
import dev.heddle.scheduler.SwitchTrace;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.ExecutionContext.Occupant;
import dev.heddle.sync.Channel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The life of a recording: its begin, its end, and what it leaves in the loop.
@Tag("watch-3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopRecordingTest {
  @Test
  void loopThatIsHeld_isRecordedUpToTheHold() throws Exception {
    CountDownLatch holding = new CountDownLatch(1);
    try (RecordedLoop loop =
            RecordedLoop.start(self -> {
              while (!self.isRecorded()) {
                Heddle.delay(Duration.ofMillis(1)); // Heddle resumes it: its number is known
              }
              holding.countDown();
              while (!self.isAtItsEnd()) {
                Thread.onSpinWait();
              }
            });
        LoopRecording recording = new LoopRecording(loop.tree(), RecordedTrace.ENTRIES)) {
      loop.recordingHasBegun();
      holding.await();
      assertThat(RecordedTrace.of(recording).whole()).containsEntry("heldBy", "1");
      loop.end(); // before the recording is closed
    }
  }

  @Test
  void twoObservers_cannotRecordOneLoopAtATime() throws Exception {
    try (RecordedLoop loop = RecordedLoop.start(RecordedLoop::awaitEnd)) {
      try (LoopRecording _ = new LoopRecording(loop.tree(), RecordedTrace.ENTRIES)) {
        assertThatThrownBy(() -> new LoopRecording(loop.tree(), RecordedTrace.ENTRIES))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("another observer");
      }
      new LoopRecording(loop.tree(), RecordedTrace.ENTRIES).close();
    }
  }

  /// As without memory for its ring: a thread ticked on for ever.
  @Test
  void recordingThatCannotBegin_leavesNoThread() throws Exception {
    try (RecordedLoop loop = RecordedLoop.start(RecordedLoop::awaitEnd)) {
      assertThatThrownBy(() -> new LoopRecording(loop.tree(), 3))
          .hasMessage("a ring of 3 entries: no power of two");
      try (LoopRecording _ = new LoopRecording(loop.tree(), RecordedTrace.ENTRIES)) {
        assertThatThrownBy(() -> new LoopRecording(loop.tree(), RecordedTrace.ENTRIES))
            .hasMessageContaining("another observer");
      }
      while (Thread.getAllStackTraces().keySet().stream()
          .anyMatch(thread -> thread.getName().equals("heddle-trace-ticks"))) {
        Thread.onSpinWait();
      }
    }
  }

  /// What has been recorded stays, and nothing is called of it later.
  @Test
  void recordingThatHasEnded_leavesNoTraceInTheLoop() throws Exception {
    try (RecordedLoop loop =
        RecordedLoop.start(self -> {
          while (!self.isAtItsEnd()) {
            Heddle.yieldNow();
          }
        })) {
      LoopRecording recording = new LoopRecording(loop.tree(), RecordedTrace.ENTRIES);
      recording.stop();
      assertThat(loop.tree().scheduler().trace()).isNull();
      assertThat(loop.tree().observer()).isNull();
      recording.close();
    }
  }

  /// The loop was recorded for ever, and no other observer could.
  @Test
  void observerThatGivesUpAsTheLoopBegins_leavesNoTrace() throws Exception {
    CompletableFuture<Boolean> begun = new CompletableFuture<>();
    try (RecordedLoop loop =
        RecordedLoop.startBefore(self -> {
          CoroutineTree own = CoroutineNode.current().tree();
          own.scheduler()
              .runOnCarrier(() -> {
                LoopRecording.begin(own, new TraceRing(64), new TraceTicks(), new GivenUp());
                begun.complete(own.scheduler().trace() == null);
              });
          self.isThere();
          self.awaitEnd();
        })) {
      assertThat(begun.join()).isTrue();
      new LoopRecording(loop.tree(), RecordedTrace.ENTRIES).close();
    }
  }

  /// Is cancelled between the question whether it is, and the answer.
  private static final class GivenUp extends CompletableFuture<LoopRecording.Begin> {
    @Override
    public boolean complete(LoopRecording.Begin value) {
      cancel(false);
      return super.complete(value);
    }
  }

  @Test
  void recordingThatIsStoppedTwice_saysTheSame() throws Exception {
    try (RecordedLoop loop = RecordedLoop.start(RecordedLoop::awaitEnd);
        LoopRecording recording = new LoopRecording(loop.tree(), RecordedTrace.ENTRIES)) {
      List<Map<String, String>> first = recording.stop();
      loop.join();
      assertThat(recording.stop()).isEqualTo(first);
    }
  }

  /// Its counts were missing.
  @Test
  void loopThatEndsWhileItIsRecorded_hasItsCountsAndItsEnd() throws Exception {
    try (RecordedLoop loop =
            RecordedLoop.start(self -> {
              self.awaitRecording();
              Heddle.spawn("child", () -> Heddle.delay(Duration.ofMillis(1))).await();
            });
        LoopRecording recording = new LoopRecording(loop.tree(), RecordedTrace.ENTRIES)) {
      loop.join();
      long after = System.nanoTime();
      RecordedTrace trace = RecordedTrace.of(recording);

      assertThat(trace.all(TraceKind.RUN)).hasSize(trace.runs());
      assertThat(trace.count("endedNanos")).isLessThan(after);
      assertThat(trace.whole()).doesNotContainKey("heldBy");
      assertThat(trace.names().values())
          .anyMatch(name -> name.startsWith("child"))
          .anyMatch(name -> name.endsWith("main"));
    }
  }

  /// A hundred thousand coroutines that wait, and some that run.
  @Test
  void trace_amongManyCoroutines_isWhatTheLoopHasCounted() throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    try (RecordedLoop loop =
            RecordedLoop.startBefore(self -> {
              Channel<Integer> never = Channel.of(1);
              for (int i = 0; i < 100_000; i++) {
                Heddle.background("parked", () -> never.receive());
              }
              Heddle.yieldNow();
              self.isThere();
              self.awaitRecording();
              for (int i = 0; i < 100; i++) {
                Heddle.spawn("one", () -> Heddle.delay(Duration.ofMillis(1))).await();
              }
              ran.countDown();
              self.awaitEnd();
            });
        LoopRecording recording = new LoopRecording(loop.tree(), RecordedTrace.ENTRIES)) {
      loop.recordingHasBegun();
      ran.await();
      RecordedTrace trace = RecordedTrace.of(recording);

      assertThat(trace.all(TraceKind.RUN)).hasSize(trace.runs());
      assertThat(trace.all(TraceKind.END)).hasSize(100);
      assertThat(trace.names()).hasSize(101); // no name of those that did nothing
    }
  }

  /// Nothing is called of a coroutine that is not traced, nor of one whose trace has ended; it
  /// finds that out when it is called next.
  @Test
  void coroutineThatIsNotTraced_callsNothing() throws Exception {
    CountingTrace counting = new CountingTrace();
    try (RecordedLoop loop =
        RecordedLoop.start(self -> {
          self.awaitRecording();
          Heddle.scope(() -> {
            Heddle.yieldNow();
            Heddle.delay(Duration.ofMillis(1)); // its bits are cleared by now
            CoroutineNode.current().scheduler().setTrace(counting);
            Channel<Integer> channel = Channel.of(1);
            Heddle.spawn(() -> channel.receive());
            for (int i = 0; i < 10; i++) {
              Heddle.yieldNow();
              Heddle.delay(Duration.ofMillis(1));
            }
            channel.send(1);
          });
          CoroutineNode.current().scheduler().setTrace(null);
        })) {
      LoopRecording recording = new LoopRecording(loop.tree(), RecordedTrace.ENTRIES);
      recording.stop();
      recording.close();
    }
    assertThat(counting.calls).isZero();
  }

  private static final class CountingTrace implements SwitchTrace {
    int calls;

    @Override
    public void entered(Occupant coroutine) {
      calls++;
    }

    @Override
    public void left(Occupant coroutine, boolean inTheJdk, boolean yields) {
      calls++;
    }

    @Override
    public void stayed(Occupant coroutine) {
      calls++;
    }

    @Override
    public void woken(Occupant coroutine, WokenBy by) {
      calls++;
    }

    @Override
    public void arrived(ExecutionContext context) {
      // of waits in the JDK; each costs a look at a field
    }

    @Override
    public void cancelled(Occupant coroutine) {
      calls++;
    }

    @Override
    public void ended(Occupant coroutine, boolean ran) {
      calls++;
    }

    @Override
    public void worked() {
      // of the loop, which has the trace
    }

    @Override
    public void loopEnds() {
      calls++;
    }
  }
}
