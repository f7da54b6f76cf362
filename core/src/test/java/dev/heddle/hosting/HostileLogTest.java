// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.ExitException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.coroutine.Scope;
import dev.heddle.event.Promise;
import dev.heddle.loop.LoopRuntime;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Handlers of the log that wait for what only the loop can give, and that throw: the loop goes on.
@Tag("T17.1")
@Tag("trap-42")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileLogTest {
  private static final Logger LOGGER = Logger.getLogger("dev.heddle");
  private static final HeddleOptions SHORT =
      HeddleOptions.defaults().withGracePeriod(Duration.ofMillis(20)).withHoldLimit(Duration.ZERO);
  private static final Duration HOUR = Duration.ofHours(1);

  private final List<String> written = new CopyOnWriteArrayList<>();
  private Handler handler = new Publisher(record -> {});

  /// Keeps what it has published.
  private final class Publisher extends Handler {
    private final Consumer<LogRecord> first;

    Publisher(Consumer<LogRecord> first) {
      this.first = first;
    }

    @Override
    public void publish(LogRecord record) {
      first.accept(record);
      if (!record.getMessage().contains(" has held the loop '")) { // as on a machine that is slow
        written.add(record.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private void handle(Consumer<LogRecord> first) {
    handler = new Publisher(first);
    LOGGER.addHandler(handler);
    LOGGER.setUseParentHandlers(false);
  }

  @AfterEach
  void putBack() {
    LOGGER.removeHandler(handler);
    LOGGER.setUseParentHandlers(true);
  }

  /// A lock of one of the two kinds that coroutines are parked with.
  private interface Guard {
    void run(Runnable guarded);
  }

  private static Guard guard(String kind) {
    Object monitor = new Object();
    ReentrantLock lock = new ReentrantLock();
    return kind.equals("monitor")
        ? guarded -> {
          synchronized (monitor) {
            guarded.run();
          }
        }
        : guarded -> {
          lock.lock();
          try {
            guarded.run();
          } finally {
            lock.unlock();
          }
        };
  }

  /// The coroutine is let go on by the loop's own timer, so that a carrier which waits for its lock
  /// waits for ever.
  @ParameterizedTest
  @ValueSource(strings = {"lock", "monitor"})
  void overdueReport_whileAParkedCoroutineHoldsTheHandlersLock_doesNotStopTheLoop(String kind) {
    Guard guard = guard(kind);
    CountDownLatch logged = new CountDownLatch(1);
    CountDownLatch inHandler = new CountDownLatch(1);
    handle(record ->
        guard.run(() -> {
          if (record.getMessage().equals("of the program")) {
            inHandler.countDown();
            awaitUninterruptibly(logged);
          }
        }));
    Heddle.run(
        SHORT,
        () -> {
          try (Scope s = Scope.open()) {
            s.launch("late", () -> waitForTheReport(logged));
            s.launch("logs", () -> LOGGER.warning("of the program"));
            Beside.until(() -> inHandler.getCount() == 0);
          }
        });
    assertThat(written).hasSize(2).contains("of the program");
    assertThat(written).anyMatch(line -> line.contains("not ended within the grace period"));
  }

  // the report is on its way to the lock when the writer of the log is there
  private static void waitForTheReport(CountDownLatch then) {
    Heddle.shield(() -> {
      while (writerStacks().noneMatch(HostileLogTest::isInTheHandler)) {
        Heddle.delay(Duration.ofMillis(1));
      }
      then.countDown();
    });
  }

  private static Stream<StackTraceElement[]> writerStacks() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(entry -> entry.getKey().getName().endsWith("-log"))
        .map(Map.Entry::getValue);
  }

  private static boolean isInTheHandler(StackTraceElement[] stack) {
    return Arrays.stream(stack)
        .anyMatch(frame -> frame.getClassName().equals(Publisher.class.getName()));
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean waits = true;
    while (waits) {
      try {
        latch.await();
        waits = false;
      } catch (InterruptedException _) {
        // the point of it: this wait outlasts its cancellation
      }
    }
  }

  private void throwAlways() {
    handle(record -> {
      written.add(record.getMessage());
      throw new IllegalStateException("disk full");
    });
  }

  @Test
  void handlerThatThrowsForAnOverdueReport_leavesTheCleanUpAlone() {
    throwAlways();
    boolean[] cleanedUp = new boolean[1];
    Heddle.run(
        SHORT,
        () -> {
          try (Scope s = Scope.open()) {
            s.launch(
                "late",
                () -> {
                  Heddle.shield(() -> {
                    Beside.until(() -> !written.isEmpty());
                    cleanedUp[0] = true;
                  });
                });
            Heddle.yieldNow();
          }
        });
    assertThat(cleanedUp[0]).isTrue();
  }

  @Test
  void handlerThatThrows_atTheEndOfASupervisedScope_leavesTheResultAlone() {
    throwAlways();
    String result =
        Heddle.run(() -> {
          Heddle.supervise(s -> {
            s.launch("bad", HostileLogTest::fail);
            return null;
          });
          return "result";
        });
    assertThat(result).isEqualTo("result");
    assertThat(written).anyMatch(line -> line.startsWith("unobserved failure of"));
  }

  private static void fail() {
    throw new IllegalArgumentException("of a member");
  }

  @Test
  void handlerThatThrows_forAFailureBesideAnExit_leavesTheExitCodeAlone() {
    throwAlways();
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Heddle.launch(
                  "bad",
                  () -> {
                    try {
                      Heddle.delay(HOUR);
                    } finally {
                      fail();
                    }
                  });
              Heddle.yieldNow();
              Heddle.exit(3);
              Heddle.delay(HOUR);
            }))
        .isInstanceOfSatisfying(ExitException.class, e -> assertThat(e.code()).isEqualTo(3));
  }

  @Test
  void handlerThatThrows_forAPromiseThatWasNotUsed_leavesTheResultAlone() {
    throwAlways();
    String result =
        Heddle.run(() -> {
          Promise<String> kept = Heddle.promise("kept");
          kept.complete("value");
          return "result";
        });
    assertThat(result).isEqualTo("result");
    assertThat(written).anyMatch(line -> line.contains("was never used"));
  }

  /// It is counted on the standard error, and waited for a few seconds.
  @Test
  void handlerThatNeverReturns_doesNotKeepRunFromReturning() {
    CountDownLatch never = new CountDownLatch(1);
    handle(record -> awaitUninterruptibly(never));
    String result =
        Heddle.run(() -> {
          Promise<String> kept = Heddle.promise("kept");
          kept.complete("value");
          return "result";
        });
    assertThat(result).isEqualTo("result");
    never.countDown();
  }

  @Test
  void lines_ofALoop_areWrittenWhenRunReturns() {
    handle(record -> Thread.yield());
    Heddle.run(() ->
        Heddle.supervise(s -> {
          for (int i = 0; i < 100; i++) {
            s.launch("bad", HostileLogTest::fail);
          }
          return null;
        }));
    assertThat(written).hasSize(100);
  }

  @Test
  void carrierTaskThatThrows_isReported_andTheOthersAndTheLoopContinue() {
    handle(record -> {});
    AtomicReference<LoopRuntime> root = new AtomicReference<>();
    List<String> ran = new CopyOnWriteArrayList<>();
    String result =
        LoopRuntime.run(
            HeddleOptions.defaults(),
            () -> {
              LoopRuntime loop = root.get();
              loop.scheduler().runOnCarrier(HostileLogTest::fail);
              loop.scheduler().runOnCarrier(() -> ran.add("the next"));
              Beside.until(() -> !ran.isEmpty());
              return "result";
            },
            List.of(),
            root::set);
    assertThat(result).isEqualTo("result");
    assertThat(written)
        .containsExactly("the loop continues after an internal failure on its thread");
  }

  @Test
  void overrunsAtOneSite_areReportedOnce() {
    handle(record -> {});
    Heddle.run(
        SHORT,
        () -> {
          for (int i = 0; i < 3; i++) {
            boolean[] end = new boolean[1];
            try (Scope s = Scope.open()) {
              s.launch("late", () -> overrun(end));
              s.launch("ends it", () -> Heddle.shield(() -> endLater(end)));
              Heddle.yieldNow();
            }
          }
        });
    assertThat(written).filteredOn(line -> line.contains("HostileLogTest.overrun(")).hasSize(1);
  }

  private static void overrun(boolean[] end) {
    Heddle.shield(() -> {
      while (!end[0]) {
        Heddle.delay(Duration.ofMillis(1));
      }
    });
  }

  // later than the grace period is over, by the same clock
  private static void endLater(boolean[] end) {
    Heddle.delay(Duration.ofMillis(60));
    end[0] = true;
  }

  @Test
  void listenerOfReportsThatHangs_holdsUpNeitherItsLoopNorAnother() throws Exception {
    handle(record -> {});
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch called = new CountDownLatch(1);
    CompletableFuture<String> told = new CompletableFuture<>();
    HeddleOptions options = HeddleOptions.defaults().withHoldLimit(Duration.ofMillis(20));
    Loop<String> first =
        Loop.start(
            options.withReports(_ -> {
              called.countDown();
              awaitUninterruptibly(hangs);
            }),
            () -> {
              spinUntil(() -> called.getCount() == 0);
              Heddle.yieldNow();
              return "ended";
            });
    called.await();
    Loop<String> second =
        Loop.start(
            options.withReports(report -> told.complete(report.text())),
            () -> {
              spinUntil(told::isDone);
              return "ended";
            });
    assertThat(second.join()).isEqualTo("ended");
    assertThat(told.join()).contains("has held the loop");
    hangs.countDown();
    assertThat(first.join()).isEqualTo("ended");
  }

  private static void spinUntil(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }
}
