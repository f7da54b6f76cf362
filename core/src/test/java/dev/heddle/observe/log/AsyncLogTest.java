// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The log of a loop: what its handlers may do to whoever writes a line.
@Tag("T17.1")
@Tag("trap-42")
@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AsyncLogTest {
  private static final Logger LOGGER = Logger.getLogger("dev.heddle");

  private final List<String> written = new CopyOnWriteArrayList<>();
  private final List<String> lastWords = new CopyOnWriteArrayList<>();
  private final AsyncLog log = new AsyncLog("tested", null);
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
      written.add(record.getMessage());
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

  @Test
  void lines_ofOneThread_areWrittenInTheirOrder() {
    handle(record -> {});
    List<String> lines = IntStream.range(0, 500).mapToObj(Integer::toString).toList();
    lines.forEach(line -> log.warning(line, null));
    assertThat(log.flush()).isTrue();
    assertThat(written).isEqualTo(lines);
  }

  @Test
  void listener_isCalledInItsTurnAmongTheLines() {
    handle(record -> {});
    log.warning("before", null);
    log.call("a listener", () -> written.add("called"));
    log.warning("behind", null);
    assertThat(log.close()).isTrue();
    assertThat(written).containsExactly("before", "called", "behind");
  }

  @Test
  void line_whileAnotherThreadHoldsTheHandlersLock_isNotWaitedFor() {
    ReentrantLock lock = new ReentrantLock();
    handle(record -> {
      lock.lock();
      lock.unlock();
    });
    lock.lock();
    log.error("behind the lock", null); // on the thread that holds it: it would not wait
    assertThat(written).isEmpty();
    while (!lock.hasQueuedThreads()) {
      Thread.onSpinWait();
    }
    lock.unlock();
    assertThat(log.flush()).isTrue();
    assertThat(written).containsExactly("behind the lock");
  }

  /// Those that `java.util.logging` lets through: it keeps no throwable of a handler's to itself.
  private static void fail(String kind) {
    switch (kind) {
      case "exception" -> throw new IllegalStateException("disk full");
      case "error" -> throw new AssertionError("disk full");
      default -> throw new OutOfMemoryError("disk cache");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"exception", "error", "memory"})
  void handlerThatThrows_costsItsLineTheThrowable_andNoOtherLine(String kind) {
    int[] calls = new int[1];
    handle(record -> {
      if (calls[0]++ == 0) {
        fail(kind);
      }
    });
    log.error("first", new IllegalArgumentException("of a user's"));
    log.error("second", null);
    assertThat(log.flush()).isTrue();
    assertThat(written).hasSize(2);
    assertThat(written.get(0)).startsWith("first [java.lang.IllegalArgumentException cannot be");
    assertThat(written.get(1)).isEqualTo("second");
  }

  @ParameterizedTest
  @ValueSource(strings = {"exception", "error", "memory"})
  void handlerThatThrowsForEveryLine_isAskedForTheNextAllTheSame(String kind) {
    List<String> asked = new CopyOnWriteArrayList<>();
    handle(record -> {
      asked.add(record.getMessage());
      fail(kind);
    });
    log.error("first", null);
    log.error("second", null);
    assertThat(log.flush()).isTrue();
    assertThat(asked).contains("first", "second");
  }

  @Test
  void listenerThatThrows_isLogged_andTheNextIsCalled() {
    handle(record -> {});
    log.call("a listener", () -> fail("memory"));
    log.call("a listener", () -> written.add("called"));
    assertThat(log.flush()).isTrue();
    assertThat(written).containsExactly("a listener failed", "called");
  }

  /// Gives up after two looks without a line written, twelve in all.
  ///
  /// @param look what a thread in flush() does meanwhile
  private AsyncLog impatient(Consumer<AsyncLog> look) {
    return new AsyncLog(
        "tested",
        null,
        2,
        asked -> {
          look.accept(asked);
          return false;
        },
        lastWords::add);
  }

  // else the next test has its lines
  private static void awaitAll(AsyncLog log) {
    while (log.left() > 0) {
      Thread.onSpinWait();
    }
  }

  // lets a line through at each look
  private static Consumer<AsyncLog> aLine(Semaphore turns) {
    return log -> {
      int left = log.left();
      turns.release();
      while (log.left() == left) {
        Thread.onSpinWait();
      }
    };
  }

  @Test
  void handlerThatIsSlow_getsItsLinesAsLongAsItTakesThem() {
    Semaphore turns = new Semaphore(0);
    handle(record -> turns.acquireUninterruptibly());
    AsyncLog log = impatient(aLine(turns));
    IntStream.range(0, 10).forEach(i -> log.warning("line " + i, null));
    assertThat(log.flush()).isTrue();
    assertThat(written).hasSize(10);
    assertThat(lastWords).isEmpty();
  }

  @Test
  void handlerThatIsTooSlow_isCalledThat_andDelaysNothingForEver() {
    Semaphore turns = new Semaphore(0);
    handle(record -> turns.acquireUninterruptibly());
    AsyncLog log = impatient(aLine(turns));
    IntStream.range(0, 20).forEach(i -> log.warning("line " + i, null));
    assertThat(log.flush()).isFalse();
    assertThat(lastWords)
        .singleElement(STRING)
        .startsWith("dev.heddle: 8 lines of 'tested' could not be logged within 3 s; ")
        .contains("is too slow, at\n")
        .doesNotContain("has not returned");
    turns.release(20);
    awaitAll(log);
  }

  @Test
  void handlerThatHangsBehindAFewLines_isSaidToHang() {
    Semaphore turns = new Semaphore(0);
    handle(record -> turns.acquireUninterruptibly());
    AtomicInteger looks = new AtomicInteger();
    AsyncLog log =
        impatient(asked -> {
          if (looks.getAndIncrement() < 3) {
            aLine(turns).accept(asked);
          }
        });
    IntStream.range(0, 10).forEach(i -> log.warning("line " + i, null));
    assertThat(log.flush()).isFalse();
    assertThat(lastWords)
        .singleElement(STRING)
        .startsWith("dev.heddle: 7 lines of ")
        .contains("has not returned, at\n")
        .doesNotContain("is too slow");
    turns.release(10);
    awaitAll(log);
  }

  @Test
  void linesBeyondTheLimit_behindAHandlerThatHangs_areCountedAmongTheLost() {
    CountDownLatch hangs = new CountDownLatch(1);
    handle(record -> await(hangs));
    AsyncLog log = impatient(_ -> {});
    IntStream.range(0, 1_500).forEach(i -> log.warning("line", null));
    assertThat(log.flush()).isFalse();
    assertThat(lastWords).singleElement(STRING).startsWith("dev.heddle: 1500 lines of ");
    hangs.countDown();
    awaitAll(log);
  }

  @Test
  void flush_ofAHandlerOrAListener_onTheWritingThread_doesNotWait() {
    Set<Thread> waited = ConcurrentHashMap.newKeySet();
    AsyncLog log =
        impatient(asked -> {
          waited.add(Thread.currentThread());
          if (!isWriter()) {
            awaitAll(asked);
          }
        });
    handle(record -> log.flush());
    log.warning("line", null);
    log.call("a listener", log::flush);
    assertThat(log.flush()).isTrue();
    assertThat(waited).isSubsetOf(Thread.currentThread());
    assertThat(lastWords).isEmpty();
    assertThat(written).containsExactly("line");
  }

  private static boolean isWriter() {
    return Thread.currentThread().getName().equals("tested-log");
  }

  @Test
  void handlerThatHangs_delaysNothingForLong_andTheLinesComeWhenItReturns() {
    CountDownLatch hangs = new CountDownLatch(1);
    handle(record -> await(hangs));
    AsyncLog log =
        impatient(asked -> {
          if (hangs.getCount() == 0) {
            awaitAll(asked);
          }
        });
    log.warning("first", null);
    log.warning("second", null);
    assertThat(log.flush()).isFalse();
    hangs.countDown();
    assertThat(log.flush()).isTrue();
    assertThat(written).containsExactly("first", "second");
  }

  @Test
  void linesBeyondTheLimit_behindAHandlerThatHangs_areCountedAndTheNumberIsLogged() {
    CountDownLatch hangs = new CountDownLatch(1);
    handle(record -> await(hangs));
    for (int i = 0; i < 1_500; i++) {
      log.warning("line", null);
    }
    hangs.countDown();
    assertThat(log.flush()).isTrue();
    assertThat(written)
        .hasSize(1_001)
        .endsWith("the log could not keep up: 500 lines of 'tested' were dropped");
  }

  /// What was asked again, and written, was counted as lines that are lost.
  @Test
  void tryCallBeyondTheLimit_isRefused_andNotCountedAsALine() {
    CountDownLatch hangs = new CountDownLatch(1);
    handle(record -> await(hangs));
    for (int i = 0; i < 1_000; i++) {
      log.warning("line", null);
    }
    assertThat(log.tryCall("asked again later", () -> {})).isFalse();
    hangs.countDown();
    assertThat(log.flush()).isTrue();
    assertThat(written).hasSize(1_000).containsOnly("line");
  }

  @Test
  void flush_ofAThreadThatIsInterrupted_waitsAndLeavesItInterrupted() {
    handle(record -> {});
    Thread.currentThread().interrupt();
    log.warning("line", null);
    assertThat(log.flush()).isTrue();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(written).containsExactly("line");
  }

  @Test
  void thread_ofALogThatIsClosed_endsAndComesBackForALateLine() throws Exception {
    List<Thread> writers = new CopyOnWriteArrayList<>();
    handle(record -> writers.add(Thread.currentThread()));
    log.warning("line", null);
    assertThat(log.close()).isTrue();
    writers.getFirst().join();
    log.warning("late", null);
    assertThat(log.flush()).isTrue();
    assertThat(written).containsExactly("line", "late");
    assertThat(writers.getFirst().isDaemon()).isTrue();
  }

  private static void await(CountDownLatch latch) {
    boolean waits = true;
    while (waits) {
      try {
        latch.await();
        waits = false;
      } catch (InterruptedException _) {
        // safe: it waits on; nobody interrupts the writer
      }
    }
  }
}
