// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The place at which the JDK gives timers away: found, tried, or left as it is.
@Tag("T13.2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TimedWaitSeamTest {
  private static final String HOLDER = "java.lang.VirtualThread$DelayedTaskSchedulers";

  private final AtomicInteger passedOn = new AtomicInteger();
  private final List<ScheduledExecutorService> made = new ArrayList<>();

  @AfterEach
  void shutDown() {
    made.forEach(ScheduledExecutorService::shutdownNow);
  }

  private ScheduledExecutorService executor() {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(0) {
          @Override
          public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            passedOn.incrementAndGet();
            return super.schedule(command, delay, unit);
          }

          @Override
          public <V> ScheduledFuture<V> schedule(Callable<V> command, long delay, TimeUnit unit) {
            passedOn.incrementAndGet();
            return super.schedule(command, delay, unit);
          }
        };
    made.add(executor);
    return executor;
  }

  private ScheduledExecutorService[] executors(int count) {
    ScheduledExecutorService[] executors = new ScheduledExecutorService[count];
    for (int i = 0; i < count; i++) {
      executors[i] = executor();
    }
    return executors;
  }

  @Test
  void thisJdk_hasTheTimers() {
    assertThat(TimedWaits.problem()).isNull();
    assertThat(TimedWaits.inTheJdk()).isNotNull().isNotInstanceOf(TimedWaits.Delegate.class);
  }

  @ParameterizedTest
  @CsvSource({
    "java.lang.VirtualThread$Moved, INSTANCE",
    "java.lang.VirtualThread$DelayedTaskSchedulers, MOVED",
    "java.lang.VirtualThread, DEFAULT_SCHEDULER"
  })
  void jdkThatHasMovedTheTimers_isNamed_withWhatThatCosts(String type, String field) {
    assertThatThrownBy(() -> TimedWaits.executors(type, field))
        .isInstanceOfSatisfying(
            ReflectiveOperationException.class,
            e ->
                assertThat(TimedWaits.problemOf(e))
                    .contains("the timers of virtual threads", "cannot be used", "Heddle.delay"));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void timers_ofAnyNumberOfQueues_areTaken(int count) {
    ScheduledExecutorService[] executors = executors(count);
    assertThat(TimedWaits.install(executors, () -> {})).hasSize(count);
    assertThat(executors).hasOnlyElementsOfType(TimedWaits.Delegate.class);
  }

  @Test
  void noQueue_isAProblem_andNoFailure() {
    assertThatThrownBy(() -> TimedWaits.install(new ScheduledExecutorService[0], () -> {}))
        .hasMessage("jdk.virtualThreadScheduler.timerQueues is 0");
  }

  @Test
  void queuesOfAnotherKind_areLeftAsTheyAre() {
    class Other extends ScheduledThreadPoolExecutor {
      Other() {
        super(0);
      }
    }
    Other[] executors = {new Other(), new Other()};
    assertThatThrownBy(() -> TimedWaits.install(executors, () -> {}))
        .isInstanceOf(ArrayStoreException.class);
    assertThat(executors).hasOnlyElementsOfType(Other.class);
  }

  @Test
  void trialThatFails_leavesTheQueuesAsTheyWere() {
    ScheduledExecutorService[] executors = executors(2);
    ScheduledExecutorService[] before = executors.clone();
    assertThatThrownBy(() ->
            TimedWaits.install(
                executors,
                () -> {
                  throw new IllegalStateException("otherwise");
                }))
        .hasMessage("otherwise");
    assertThat(executors).containsExactly(before);
  }

  static Stream<Throwable> whateverMayFail() {
    return Stream.of(
        new ClassNotFoundException("moved"),
        new IllegalStateException("otherwise"),
        new StackOverflowError("deep"),
        new OutOfMemoryError("unable to create native thread"),
        new ExceptionInInitializerError("refused"));
  }

  /// Else the class would be unusable, and with it each loop of the JVM.
  @ParameterizedTest
  @MethodSource("whateverMayFail")
  void failureOfAnyKind_isAProblem_andNoFailureOfHeddle(Throwable failure) {
    ScheduledExecutorService[] executors = executors(2);
    ScheduledExecutorService[] before = executors.clone();
    TimedWaits.Seam seam =
        TimedWaits.Seam.tried(
            () -> executors, () -> TimedWaitSeamTest.<RuntimeException>sneak(failure));
    assertThat(seam.problem()).contains(failure.getMessage(), "Heddle.delay");
    assertThat(seam.jdk()).isNull();
    assertThat(executors).containsExactly(before);
  }

  @SuppressWarnings("unchecked") // safe: never caught as T
  private static <T extends Throwable> void sneak(Throwable failure) throws T {
    throw (T) failure;
  }

  @Test
  void trialThatFails_leavesTheElementsOfAnotherCopy() {
    ScheduledExecutorService[] executors = executors(2);
    ScheduledExecutorService[] before = executors.clone();
    TimedWaits.Delegate[] theirs = new TimedWaits.Delegate[2];
    TimedWaits.Seam seam =
        TimedWaits.Seam.tried(
            () -> executors,
            () -> {
              theirs[1] = new TimedWaits.Delegate(executors[1]);
              executors[1] = theirs[1];
              throw new IllegalStateException("otherwise");
            });
    assertThat(seam.problem()).contains("otherwise");
    assertThat(executors).containsExactly(before[0], theirs[1]);
  }

  /// An element of the JVM's own array for the time of a test: some of the timers for which the
  /// current thread asks are not those of Heddle.
  private final class Elsewhere extends ScheduledThreadPoolExecutor {
    private final Thread tester = Thread.currentThread();
    private final ScheduledExecutorService ours;
    private final AtomicInteger asked;
    private final IntPredicate isElsewhere;

    Elsewhere(ScheduledExecutorService ours, AtomicInteger asked, IntPredicate isElsewhere) {
      super(0);
      this.ours = ours;
      this.asked = asked;
      this.isElsewhere = isElsewhere;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
      boolean theirs =
          Thread.currentThread() == tester && isElsewhere.test(asked.incrementAndGet());
      return (theirs ? executor() : ours).schedule(command, delay, unit);
    }
  }

  private void tryWith(IntPredicate isElsewhere) throws Exception {
    assertThat(TimedWaits.problem()).isNull();
    ScheduledExecutorService[] executors = TimedWaits.executors(HOLDER, "INSTANCE");
    ScheduledExecutorService[] ours = executors.clone();
    AtomicInteger asked = new AtomicInteger();
    for (int i = 0; i < ours.length; i++) {
      executors[i] = new Elsewhere(ours[i], asked, isElsewhere);
    }
    try {
      TimedWaitTrial.run();
    } finally {
      System.arraycopy(ours, 0, executors, 0, ours.length);
    }
  }

  /// As in a JDK that asks for its timers elsewhere.
  @Test
  void trial_inAJdkThatAsksForNoTimerHere_saysSo() {
    assertThatThrownBy(() -> tryWith(_ -> true))
        .hasMessage("a thread that waits asked for 0 timers, the last of 0 ns");
  }

  @Test
  void trial_inAJdkThatAsksForNoTimerOfAMonitorHere_saysSo() {
    assertThatThrownBy(() -> tryWith(asked -> asked > 1))
        .hasMessage("a thread that waits asked for 0 timers, the last of 0 ns");
  }

  /// The reader of a stack ends or delays what the trial expects, once.
  @Test
  void trial_thatADumpHasKeptFromItsEnd_isRepeated() {
    assertThatCode(() -> tryWith(asked -> asked <= 3)).doesNotThrowAnyException();
  }

  @Test
  void trial_onAVirtualThread_hasAPlatformThread() throws Exception {
    assertThat(TimedWaits.problem()).isNull();
    Throwable[] failure = new Throwable[1];
    Thread.ofVirtual()
        .start(() -> {
          try {
            TimedWaitTrial.run();
          } catch (Throwable e) {
            failure[0] = e;
          }
        })
        .join();
    assertThat(failure[0]).isNull();
  }

  @Test
  void trial_keepsTheInterruptOfItsThread() {
    assertThat(TimedWaits.problem()).isNull();
    Thread.currentThread().interrupt();
    TimedWaitTrial.run();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void threadThatIsNoCarrier_hasTimersOfTheJdk() {
    ScheduledExecutorService[] executors = executors(1);
    var _ = TimedWaits.install(executors, () -> {});
    assertThat(executors[0].schedule(() -> {}, 1, TimeUnit.HOURS).cancel(false)).isTrue();
    assertThat(executors[0].schedule(() -> "", 1, TimeUnit.HOURS).cancel(false)).isTrue();
    assertThat(passedOn).hasValue(2);
  }

  /// Each class loader with a copy of Heddle replaces the elements.
  @Test
  void copiesOfHeddle_workSideBySide_andTheOlderOneIsLetGo() {
    ScheduledExecutorService[] executors = executors(1);
    ScheduledExecutorService jdk = executors[0];
    TimedWaits.Delegate older = TimedWaits.install(executors, () -> {})[0];
    TimedWaits.Delegate newer = TimedWaits.install(executors, () -> {})[0];
    assertThat(newer.get()).isSameAs(older.get()).isSameAs(jdk);
    var _ = newer.schedule(() -> {}, 1, TimeUnit.HOURS).cancel(false);
    WeakReference<TimedWaits.Delegate> gone = new WeakReference<>(older);
    older = null;
    while (gone.get() != null) {
      System.gc();
    }
    var _ = newer.schedule(() -> {}, 1, TimeUnit.HOURS).cancel(false);
    assertThat(passedOn).hasValue(2);
  }
}
