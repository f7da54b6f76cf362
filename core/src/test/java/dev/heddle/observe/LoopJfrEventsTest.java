// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.source.EventSource;
import dev.heddle.hosting.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopJfrEventsTest {
  @TempDir private Path folder = Path.of("");

  private List<RecordedEvent> recorded(Runnable program) throws IOException {
    Path file = folder.resolve("flight.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      program.run();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .filter(e -> e.getEventType().getName().startsWith("dev.heddle."))
        .toList();
  }

  @Test
  void coroutines_startAndEnd_areEvents() throws IOException {
    List<RecordedEvent> events =
        recorded(() ->
            Heddle.run(() ->
                Heddle.supervise(s -> {
                  s.spawn("good", () -> 1);
                  Coroutine<?> bad =
                      s.spawn(
                          "bad",
                          () -> {
                            throw new IOException("bad");
                          });
                  assertThatThrownBy(bad::await).hasCauseInstanceOf(IOException.class);
                  return null;
                })));
    assertThat(events)
        .filteredOn(e -> e.getEventType().getName().startsWith("dev.heddle.Coroutine")) // no holds
        .extracting(
            e -> e.getEventType().getName().replace("dev.heddle.Coroutine", ""),
            e -> e.getLong("coroutine"),
            e -> e.getString("name"),
            LoopJfrEventsTest::failure)
        .containsExactlyInAnyOrder(
            tuple("Start", 1L, "main", ""),
            tuple("Start", 2L, "good", ""),
            tuple("Start", 3L, "bad", ""),
            tuple("End", 2L, "good", ""),
            tuple("End", 3L, "bad", "dev.heddle.CoroutineException"),
            tuple("End", 1L, "main", ""));
  }

  private static String failure(RecordedEvent event) {
    RecordedClass failure = event.hasField("failure") ? event.getClass("failure") : null;
    return failure == null ? "" : failure.getName();
  }

  @Test
  void hold_isAnEventWithItsWholeLength() throws IOException {
    Optional<RecordedEvent> seen = Optional.empty();
    while (seen.isEmpty()) {
      // the watchdog sees the end of a hold when it next looks, and the loop may be gone by then;
      // and it may have looked at the hold before that came to the method
      seen =
          recorded(LoopJfrEventsTest::runThatHolds).stream()
              .filter(e -> e.getEventType().getName().equals("dev.heddle.LongHold"))
              .filter(e -> e.getString("report").contains("holdAndDelay"))
              .findFirst();
    }
    RecordedEvent hold = seen.get();
    assertThat(hold.getDuration("held")).isGreaterThanOrEqualTo(Duration.ofMillis(20));
    assertThat(hold.getString("coroutine")).startsWith("coroutine-1 'main'");
  }

  private static void runThatHolds() {
    CountDownLatch told = new CountDownLatch(1);
    HeddleOptions options =
        HeddleOptions.defaults()
            .withHoldLimit(Duration.ofMillis(20))
            .withReports(_ -> told.countDown());
    Heddle.run(options, () -> holdAndDelay(told));
  }

  private static void holdAndDelay(CountDownLatch told) {
    long end = System.nanoTime() + Duration.ofMillis(100).toNanos();
    while (told.getCount() > 0 || System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    Heddle.delay(Duration.ofMillis(100));
  }

  @Test
  @Tag("T19")
  void deadlock_isAnEventWithTheReport() throws IOException {
    List<RecordedEvent> events =
        recorded(() ->
            assertThatThrownBy(() -> Heddle.run(LoopJfrEventsTest::awaitNobody))
                .isInstanceOf(DeadlockError.class));
    assertThat(events)
        .filteredOn(e -> e.getEventType().getName().equals("dev.heddle.Deadlock"))
        .singleElement()
        .extracting(e -> e.getString("report"))
        .asString()
        .startsWith("Deadlock: no active coroutines, 1 coroutine in waiting");
  }

  private static void awaitNobody() {
    Heddle.await(
        new EventSource(CoroutineNode.current().scheduler()) {
          @Override
          public String info() {
            return "nobody";
          }
        });
  }

  /// Says whether a loop runs, deadlocks and stalls where the modules are missing.
  public static final class BareProgram {
    private BareProgram() {}

    /// Run in a JVM of its own.
    public static void main(String[] args) throws InterruptedException {
      CountDownLatch held = new CountDownLatch(1);
      CountDownLatch stalled = new CountDownLatch(1);
      HeddleOptions options =
          HeddleOptions.defaults()
              .withHoldLimit(Duration.ofMillis(20))
              .withStallLimit(Duration.ofMillis(20))
              .withReports(report -> (report instanceof StallReport ? stalled : held).countDown());
      Object monitor = new Object();
      CountDownLatch taken = new CountDownLatch(1);
      Thread holder =
          Thread.ofPlatform()
              .start(() -> {
                synchronized (monitor) {
                  taken.countDown();
                  holdUntil(stalled);
                }
              });
      Heddle.run(
          options,
          () -> {
            holdUntil(held);
            taken.await(); // else the loop could be first
            synchronized (monitor) {
              Heddle.yieldNow();
            }
          });
      holder.join();
      System.out.println(
          "told, with "
              + (ModuleLayer.boot().findModule("jdk.jfr").isPresent() ? "" : "no ")
              + "jfr");
    }

    private static void holdUntil(CountDownLatch told) {
      while (told.getCount() > 0) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void loop_withoutTheOptionalModules_watchesAndReports() throws Exception {
    ChildJvm.Result result =
        ChildJvm.of(BareProgram.class)
            .with("--limit-modules", "java.base,java.logging,java.management,jdk.unsupported")
            .with("--add-opens=java.base/jdk.internal.vm=ALL-UNNAMED")
            .run();
    assertThat(result.output()).contains("told, with no jfr").contains(", held by thread '");
    assertThat(result.exitCode()).isZero();
  }
}
