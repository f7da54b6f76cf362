// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.internal.Rethrow;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.observe.HoldReport.Activity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The watchdog: who holds the loop, and doing what. Each hold lasts until it has been reported.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HoldReportTest {
  private static volatile long endOfSpins;
  private static final Duration LIMIT = Duration.ofMillis(20);
  private static final long LONGER = LIMIT.toNanos() * 5;
  private static final int TRIES = 100;
  private static final long SPINS =
      100_000; // of the first hold; each that follows has twice as many

  /// The reports of one loop. A loop may end before its last one is delivered; that is none of the
  /// next loop's.
  private record Reports(List<HoldReport> all, Set<String> methods) {
    Reports() {
      this(new CopyOnWriteArrayList<>(), ConcurrentHashMap.newKeySet());
    }

    void add(LoopReport report) {
      HoldReport hold = (HoldReport) report;
      all.add(hold);
      hold.stack().forEach(frame -> methods.add(frame.getMethodName()));
    }
  }

  private static volatile Reports reports = new Reports(); // of the last loop

  @BeforeEach
  void forgetTheLoopBefore() {
    reports = new Reports();
  }

  private static HeddleOptions options(Duration limit) {
    Reports fresh = new Reports();
    reports = fresh;
    return HeddleOptions.defaults().withName("held").withHoldLimit(limit).withReports(fresh::add);
  }

  /// The report of a hold in the method of that name.
  private static HoldReport reportOf(String method, Action holder) {
    Heddle.run(options(LIMIT), () -> Heddle.launch("holder", holder));
    return reports.all().stream()
        .filter(report -> isAt(report, method))
        .findFirst()
        .orElseThrow(() -> new AssertionError("told of others only: " + reports.all()));
  }

  @Test
  void holdLimit_beyondTheScale_isNever() {
    assertThat(Heddle.<Integer>run(options(Duration.ofSeconds(Long.MAX_VALUE)), () -> 1)).isOne();
  }

  @Test
  void coroutine_thatComputes_isNamedWithItsStack() {
    HoldReport report = reportOf("hold", () -> computeUntilReported("hold"));
    assertThat(report.loop()).isEqualTo("held");
    assertThat(report.coroutine()).startsWith("coroutine-2 'holder' spawned at ");
    assertThat(report.held()).isGreaterThanOrEqualTo(LIMIT);
    assertThat(report.activity()).isEqualTo(Activity.COMPUTING);
    assertThat(report.site()).startsWith(HoldReportTest.class.getName());
    assertThat(report.text())
        .startsWith("coroutine-2 'holder' spawned at ")
        .contains("has held the loop 'held' for ", "it computes; let others run")
        .doesNotContain("dev.heddle.scheduler");
  }

  /// The report of a hold that does this inside this method. A hold is told of once, and on a busy
  /// machine before it has come so far; then there is another one, in another loop.
  ///
  /// @param holder prepares what holds the loop until it is told of
  private static HoldReport reportInside(
      String method, Activity activity, Function<CountDownLatch, Action> holder) {
    for (int i = 0; i < TRIES; i++) {
      CountDownLatch told = new CountDownLatch(1);
      HeddleOptions limited = options(LIMIT);
      Reports here = reports;
      HeddleOptions options =
          limited.withReports(report -> {
            here.add(report);
            told.countDown();
          });
      Action hold = holder.apply(told);
      Heddle.run(
          options,
          () -> {
            Heddle.yieldNow();
            hold.run();
          });
      for (HoldReport report : reports.all()) {
        if (report.activity() == activity && isAt(report, method)) {
          return report;
        }
      }
    }
    throw new AssertionError("told of others only, at last of " + reports.all());
  }

  /// What it is initialised by is its loader's.
  private static final class Inner {
    static {
      ((Runnable) Inner.class.getClassLoader()).run();
    }
  }

  /// A class is initialised once in a JVM, but each of these has one of its own.
  private static final class Initialiser extends ClassLoader implements Runnable {
    private final CountDownLatch told;
    private final String name;

    Initialiser(CountDownLatch told) {
      this.told = told;
      String file = Inner.class.getName().replace('.', '/') + ".class";
      try (InputStream code = Inner.class.getModule().getResourceAsStream(file)) {
        byte[] bytes = Objects.requireNonNull(code).readAllBytes();
        name = defineClass(null, bytes, 0, bytes.length).getName();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void initialise() throws ClassNotFoundException {
      Class.forName(name, true, this);
    }

    @Override
    public void run() {
      try {
        told.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  @Tag("trap-41")
  void wait_insideAClassInitialiser_isCalledPinned() {
    HoldReport report =
        reportInside("<clinit>", Activity.PINNED, told -> new Initialiser(told)::initialise);
    assertThat(report.text()).contains("Inner.<clinit>(");
  }

  @Test
  @Tag("trap-41")
  void objectWait_thatTheJdkKeepsOnTheThread_isCalledThat() {
    HoldReport report =
        reportInside("waitUntilReported", Activity.MONITOR, told -> () -> waitUntilReported(told));
    assertThat(report.text()).contains("Heddle.shield(");
  }

  @SuppressWarnings({"NakedNotify", "WaitNotInLoop"}) // the latch says when
  private static void waitUntilReported(CountDownLatch told) throws Exception {
    Class<?> virtual = Class.forName("java.lang.VirtualThread");
    MethodHandles.Lookup in = MethodHandles.privateLookupIn(virtual, MethodHandles.lookup());
    int blocking = (int) in.findStaticVarHandle(virtual, "BLOCKING", int.class).get();
    Object monitor = new Object();
    synchronized (monitor) {
      Thread.ofPlatform().daemon().start(() -> notifyWhenReported(monitor, told));
      // as the JDK leaves it at times
      in.findVarHandle(virtual, "state", int.class).set(Thread.currentThread(), blocking);
      monitor.wait();
    }
  }

  private static void notifyWhenReported(Object monitor, CountDownLatch told) {
    try {
      told.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    synchronized (monitor) {
      monitor.notifyAll();
    }
  }

  @Test
  void read_ofAnotherProcesssOutput_isCalledAFile() {
    HoldReport report =
        reportInside(
            "readUntilReported",
            Activity.FILE,
            told -> {
              Process silent = started("cat");
              Thread.ofPlatform().daemon().start(() -> closeWhenReported(silent, told));
              return () -> readUntilReported(silent.getInputStream());
            });
    assertThat(report.stack().getFirst().getMethodName()).startsWith("read");
  }

  /// Holds the loop for as long as it loads a class, each time for several limits.
  private static final class SlowLoader extends ClassLoader {
    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      holdElsewhere();
      throw new ClassNotFoundException(name);
    }
  }

  @Test
  @Tag("T22")
  void loading_ofClasses_asALoopBegins_isNotReported() {
    Heddle.run(
        options(LIMIT),
        () -> {
          for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> new SlowLoader().loadClass("no.such.Class"))
                .isInstanceOf(ClassNotFoundException.class);
            Heddle.yieldNow();
          }
          computeUntilReported("holdElsewhere", HoldReportTest::holdElsewhere);
        });
    assertThat(reports.all()).noneMatch(report -> isAt(report, "findClass"));
  }

  private static HoldReport at(Activity activity, StackTraceElement... stack) {
    return new HoldReport("l", "c", LIMIT, activity, null, null, List.of(stack));
  }

  private static StackTraceElement frame(String className, String method) {
    return new StackTraceElement(className, method, "F.java", 1);
  }

  @Test
  @Tag("T22")
  void initialisation_isReportedWithTheClass_andWithoutOffload() {
    HoldReport report =
        at(
            Activity.INITIALISING,
            frame("java.util.Random", "next"),
            frame("shop.Prices", "<clinit>"));
    assertThat(report.text())
        .contains("it initialises the class shop.Prices; that happens once")
        .doesNotContain("offload");
  }

  @Test
  @Tag("T22")
  void busyLoopOfAPool_isReportedWithWhatMendsIt() {
    String pool = "org.apache.commons.pool2.impl.GenericObjectPool";
    for (Activity activity : List.of(Activity.COMPUTING, Activity.NATIVE)) {
      HoldReport report =
          at(
              activity,
              frame("java.lang.Object", "notify"),
              frame(pool, "create"),
              frame(pool, "borrow"));
      assertThat(report.text()).contains("busy loop", "setMaxWait").doesNotContain("offload");
    }
  }

  private static Process started(String program) {
    try {
      return new ProcessBuilder(program).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void readUntilReported(InputStream silent) throws IOException {
    assertThat(silent.read()).isEqualTo(-1);
  }

  private static void closeWhenReported(Process silent, CountDownLatch told) {
    try {
      told.await();
      silent.getOutputStream().close();
    } catch (InterruptedException | IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void site_reportedBefore_isNotReportedAgain() {
    Heddle.run(
        options(LIMIT),
        () -> {
          long spins = computeUntilReported("hold");
          Heddle.yieldNow();
          hold(spins);
          computeUntilReported("holdElsewhere", HoldReportTest::holdElsewhere);
        });
    assertThat(reports.all()).filteredOn(report -> isAt(report, "hold")).hasSize(1);
    assertThat(reports.all()).filteredOn(report -> isAt(report, "holdElsewhere")).hasSize(1);
  }

  // one hold after the other, for the first may be seen in the middle of something else
  private static void computeUntilReported(String method, Runnable holding) {
    while (!reports.methods().contains(method)) {
      Heddle.yieldNow();
      holding.run();
    }
  }

  /// One hold after the other, for the first may be seen in the middle of something else; each
  /// longer than the one before, until one is longer than the limit on this machine.
  ///
  /// @return as much as was enough
  private static long computeUntilReported(String method) {
    long spins = SPINS;
    while (!reports.methods().contains(method)) {
      Heddle.yieldNow();
      spins *= 2;
      hold(spins);
    }
    return spins;
  }

  // no call of the program's own in the loop: it would be another site; and the clock is not read:
  // inside that call, which is native, it would not be a computation that is seen. The end is
  // volatile: some collectors have no safepoint in a loop whose count is known
  private static void hold(long spins) {
    endOfSpins = spins;
    for (long i = 0; i < endOfSpins; i++) {
      Thread.onSpinWait();
    }
  }

  private static void holdElsewhere() {
    long end = System.nanoTime() + LONGER;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  private static boolean isAt(HoldReport report, String method) {
    return report.stack().stream().anyMatch(frame -> frame.getMethodName().equals(method));
  }

  @Test
  void loop_thatSleepsOrSwitches_isNotHeld() {
    int runs = 0;
    do {
      // once more, for a carrier that the machine does not run holds, too
      Heddle.run(options(Duration.ofMillis(500)), HoldReportTest::sleepAndSwitch);
      runs++;
    } while (runs < 5 && !reports.all().isEmpty());
    assertThat(reports.all()).isEmpty();
  }

  private static void sleepAndSwitch() {
    Heddle.delay(Duration.ofMillis(600));
    long end = System.nanoTime() + Duration.ofMillis(600).toNanos();
    while (System.nanoTime() < end) {
      Heddle.yieldNow();
    }
  }

  @Test
  void limit_ofZero_turnsItOff() {
    Heddle.run(options(Duration.ZERO), HoldReportTest::holdElsewhere);
    assertThat(reports.all()).isEmpty();
  }

  @Test
  void coroutine_thatHoldsAfterALongRest_isReported() {
    Heddle.run(
        options(LIMIT),
        () -> {
          Heddle.delay(Duration.ofMillis(700)); // the watchdog rests after half a second
          computeUntilReported("hold");
        });
    assertThat(reports.methods()).contains("hold");
  }

  /// Which no code of the loop's does: a library in a callback that was overlooked, a class loader.
  @Test
  @Tag("trap-42")
  void loop_whoseOwnThreadWaitsForAMonitor_isReportedWithItsHolder() throws Exception {
    Object monitor = new Object();
    CountDownLatch held = new CountDownLatch(1);
    Thread holder =
        Thread.ofPlatform()
            .name("the holder")
            .start(() -> {
              synchronized (monitor) {
                held.countDown();
                spinUntilReported();
              }
            });
    held.await();
    runWithCarrierTask(() -> {
      synchronized (monitor) {
        held.countDown();
      }
    });
    holder.join();
    HoldReport report = reportOfTheLoopItself();
    assertThat(report.waitsFor())
        .startsWith("the monitor of java.lang.Object@")
        .endsWith(", held by thread 'the holder'");
    assertThat(report.text())
        .startsWith("Something has held the loop 'held' for ")
        .contains("the loop's own thread waits", "  waits for the monitor of");
    assertThat(report.json()).contains("\"waitsFor\": \"the monitor of");
  }

  @Test
  @Tag("trap-42")
  void loop_whoseOwnThreadIsParked_isReportedWithWhatItIsParkedFor() {
    runWithCarrierTask(() -> {
      Thread carrier = Thread.currentThread();
      Thread.ofPlatform()
          .start(() -> {
            spinUntilReported();
            LockSupport.unpark(carrier);
          });
      while (reports.methods().isEmpty()) {
        LockSupport.park(HoldReportTest.class); // all the time: it is looked at once
      }
    });
    assertThat(reportOfTheLoopItself().waitsFor()).startsWith("java.lang.Class@");
  }

  private static void runWithCarrierTask(Runnable task) {
    AtomicReference<LoopRuntime> root = new AtomicReference<>();
    Runnable _ =
        LoopRuntime.run(
            options(LIMIT),
            () -> {
              root.get().scheduler().runOnCarrier(task);
              Heddle.delay(Duration.ofMillis(1));
              return task;
            },
            List.of(),
            root::set);
  }

  private static HoldReport reportOfTheLoopItself() {
    return reports.all().stream()
        .filter(report -> report.activity() == Activity.WAITING)
        .findFirst()
        .orElseThrow(() -> new AssertionError("told of others only: " + reports.all()));
  }

  private static void spinUntilReported() {
    while (reports.methods().isEmpty()) {
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"exception", "memory"})
  void handlerOfTheLog_thatThrowsForEveryLine_doesNotEndTheWatch(String kind) {
    Handler failing = new FailingHandler(kind);
    Logger logger = Logger.getLogger("dev.heddle");
    logger.addHandler(failing);
    logger.setUseParentHandlers(false);
    try {
      reportOf("hold", () -> computeUntilReported("hold"));
      reportOf("holdAgain", HoldReportTest::holdAgain);
    } finally {
      logger.removeHandler(failing);
      logger.setUseParentHandlers(true);
    }
  }

  private static void holdAgain() {
    while (!reports.methods().contains("holdAgain")) {
      Thread.onSpinWait();
    }
  }

  private static final class FailingHandler extends Handler {
    private final String kind;

    FailingHandler(String kind) {
      this.kind = kind;
    }

    @Override
    public void publish(LogRecord record) {
      if (kind.equals("memory")) {
        throw new OutOfMemoryError("provoked");
      }
      throw new IllegalStateException("disk full");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void listener_thatFails_doesNotEndTheWatch() {
    assertThatTheWatchOutlives(new IllegalStateException("broken listener"));
  }

  @Test
  void listener_thatFailsWithAnError_doesNotEndTheWatchOfLaterLoops() {
    assertThatTheWatchOutlives(new AssertionError("broken listener"));
  }

  private static void assertThatTheWatchOutlives(Throwable failure) {
    CountDownLatch calls = new CountDownLatch(2);
    HeddleOptions failing =
        options(LIMIT)
            .withReports(_ -> {
              calls.countDown();
              throw Rethrow.unchecked(failure);
            });
    Heddle.run(failing, () -> holdUntil(calls, 1));
    Heddle.run(failing, () -> holdUntil(calls, 0));
    assertThat(calls.getCount()).isZero();
  }

  private static void holdUntil(CountDownLatch calls, long left) {
    while (calls.getCount() > left) {
      Thread.onSpinWait();
    }
  }
}
