// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import dev.heddle.loop.feed.TrampolineCall;
import dev.heddle.observe.LoopCounters;
import dev.heddle.observe.trace.TraceRing;
import dev.heddle.sync.Channel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Switches as events of a flight recording.
@Tag("watch-3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopFlightTest {
  private static final List<String> ALL =
      List.of(
          "CoroutineRun",
          "CoroutineWakeUp",
          "CoroutineCancel",
          "LoopSleep",
          "TimerExpired",
          "IoReady");

  /// A recording has the events of all loops of its JVM, also of those that other tests have left.
  private static final HeddleOptions OPTIONS =
      HeddleOptions.defaults()
          .withName("in flight")
          .withHoldLimit(Duration.ZERO); // a report takes stacks, and the loop runs more

  @TempDir private Path folder = Path.of("");

  private List<RecordedEvent> recorded(List<String> enabled, Action program) throws Exception {
    Path file = folder.resolve("flight.jfr");
    try (Recording recording = new Recording()) {
      enabled.forEach(each -> recording.enable("dev.heddle." + each));
      recording.start();
      program.run();
      recording.stop();
      recording.dump(file);
    }
    return read(file);
  }

  private static List<RecordedEvent> read(Path file) throws IOException {
    return RecordingFile.readAllEvents(file).stream()
        .filter(each -> ALL.contains(kind(each)))
        .filter(each -> OPTIONS.name().equals(each.getString("loop")))
        .toList();
  }

  private static String kind(RecordedEvent event) {
    return event.getEventType().getName().replace("dev.heddle.", "");
  }

  private static List<RecordedEvent> all(List<RecordedEvent> events, String kind) {
    return events.stream().filter(each -> kind(each).equals(kind)).toList();
  }

  @Test
  void enabledEvents_areWhatTheLoopHasCounted() throws Exception {
    LoopCounters[] counted = new LoopCounters[1];
    List<RecordedEvent> events =
        recorded(
            ALL,
            () ->
                Heddle.run(
                    OPTIONS,
                    () -> {
                      Channel<Integer> channel = Channel.of("jobs", 1);
                      Heddle.scope(() -> {
                        Heddle.spawn("taker", () -> channel.receive());
                        Heddle.yieldNow();
                        Heddle.spawn(
                            "giver",
                            () -> {
                              channel.send(1);
                              return 0;
                            });
                      });
                      for (int i = 0; i < 5; i++) {
                        Heddle.delay(Duration.ofMillis(2));
                      }
                      Heddle.scope(() -> {
                        Coroutine<?> napper =
                            Heddle.spawn(
                                "napper",
                                () -> {
                                  Heddle.delay(Duration.ofHours(1));
                                  return 0;
                                });
                        Heddle.yieldNow();
                        napper.cancel("enough");
                      });
                      counted[0] = Heddle.counters();
                    }));

    LoopCounters at = counted[0];
    long dispatches = at.switches() - at.retriedMounts() + at.selfResumes() + at.reusedStarts();
    // the last run ends after the counters were read, and the loop may run one of its own
    assertThat((long) all(events, "CoroutineRun").size()).isBetween(dispatches, dispatches + 2);
    assertThat(all(events, "CoroutineRun"))
        .extracting(each -> each.getString("name"), each -> each.getString("then"))
        .contains(
            tuple("taker", "waits for channel"),
            tuple("taker", "returns"),
            tuple("giver", "returns"),
            tuple("napper", "is cancelled"));
    assertThat(all(events, "LoopSleep")).hasSize((int) at.sleeps());
    assertThat(all(events, "TimerExpired")).hasSize(5);
    assertThat(all(events, "CoroutineCancel")).hasSize(1);
    assertThat(all(events, "CoroutineWakeUp"))
        .filteredOn(each -> "taker".equals(each.getString("name")))
        .singleElement()
        .satisfies(each -> {
          assertThat(each.getString("waitedFor")).isEqualTo("channel");
          assertThat(each.getLong("by")).isPositive();
        });
  }

  @Test
  void readinessAndTimers_areEvents_andWhatTheyWakeSaysSo() throws Exception {
    List<RecordedEvent> events =
        recorded(
            ALL,
            () ->
                Heddle.run(
                    OPTIONS,
                    () -> {
                      var anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
                      Listener listener = Tcp.listen(anyPort);
                      Heddle.scope(() -> {
                        Heddle.spawn(
                            "server", () -> listener.accept().write(ByteBuffer.wrap(new byte[1])));
                        AsyncIo client = Tcp.connect((InetSocketAddress) listener.localAddress());
                        client.readFully(ByteBuffer.allocate(1));
                        client.close();
                      });
                      listener.close();
                      SynchronousQueue<Integer> queue = new SynchronousQueue<>();
                      Heddle.scope(() -> {
                        Heddle.spawn("taker", () -> queue.take());
                        Heddle.delay(Duration.ofMillis(1));
                        queue.put(1);
                      });
                    }));

    assertThat(all(events, "IoReady"))
        .isNotEmpty()
        .allSatisfy(each -> assertThat(each.getInt("count")).isPositive());
    assertThat(all(events, "CoroutineWakeUp"))
        .extracting(
            each -> each.getString("name"),
            each -> each.getString("waitedFor"),
            each -> each.getLong("by"))
        .contains(tuple("main", "timer", 0L))
        .anySatisfy(wake -> assertThat(wake.toList()).startsWith("taker", "the JDK"));
  }

  @Test
  void recordingThatDoesNotEnableThem_hasNone_andTheLoopCallsNothing() throws Exception {
    boolean[] unobserved = new boolean[1];
    List<RecordedEvent> events =
        recorded(
            List.of("CoroutineStart"),
            () ->
                Heddle.run(
                    OPTIONS,
                    () -> {
                      Heddle.yieldNow();
                      unobserved[0] = CoroutineNode.current().scheduler().trace() == null;
                    }));
    assertThat(events).isEmpty();
    assertThat(unobserved[0]).isTrue();
  }

  @Test
  void recordingThatBeginsAndEnds_whileTheLoopRuns_leavesNothing() throws Exception {
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    Loop<Boolean> loop =
        Loop.start(
            OPTIONS,
            () -> {
              tree.complete(CoroutineNode.current().tree());
              over.await();
              return true;
            });
    List<RecordedEvent> _ = recorded(ALL, () -> awaitObserved(tree.join(), true));
    awaitObserved(tree.join(), false);
    List<RecordedEvent> _ =
        recorded(
            ALL,
            () -> {
              CompletableFuture<Boolean> observed = new CompletableFuture<>();
              Loop<Boolean> other =
                  Loop.start(
                      OPTIONS,
                      () -> {
                        CoroutineTree own = CoroutineNode.current().tree();
                        observed.complete(own.scheduler().trace() != null);
                        return true;
                      });
              assertThat(observed.join()).isTrue(); // from its beginning
              other.join();
            });
    awaitObserved(tree.join(), false);
    over.countDown();
    loop.join();
  }

  // the watchdog looks once a second
  private static void awaitObserved(CoroutineTree tree, boolean wanted) {
    boolean observed = !wanted;
    while (observed != wanted) {
      CompletableFuture<Boolean> seen =
          TrampolineCall.post(tree, answer -> answer.complete(tree.scheduler().trace() != null));
      observed = seen.join();
    }
  }

  /// Both see all, and the one that ends leaves the other.
  @Test
  void traceAndFlightRecording_areIndependent() throws Exception {
    CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
    CountDownLatch traced = new CountDownLatch(1);
    CountDownLatch ran = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    List<RecordedEvent> events =
        recorded(
            ALL,
            () -> {
              Loop<Boolean> loop =
                  Loop.start(
                      OPTIONS,
                      () -> {
                        tree.complete(CoroutineNode.current().tree());
                        traced.await();
                        Heddle.spawn("child", () -> Heddle.delay(Duration.ofMillis(1))).await();
                        ran.countDown();
                        stopped.await();
                        Heddle.delay(Duration.ofMillis(1));
                        return true;
                      });
              try (LoopRecording recording = new LoopRecording(tree.join(), 1 << 14)) {
                traced.countDown();
                ran.await();
                recording.stop();
                TraceRing.Copy copy = TraceRing.Copy.of(recording.piece(), 0);
                assertThat(copy.size()).isGreaterThan(5);
              }
              stopped.countDown();
              loop.join();
            });
    assertThat(all(events, "TimerExpired")).hasSize(2);
    assertThat(all(events, "CoroutineRun"))
        .extracting(each -> each.getString("name"))
        .contains("child");
  }
}
