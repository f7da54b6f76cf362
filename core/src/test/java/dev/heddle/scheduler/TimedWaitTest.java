// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.observe.PlatformReport;
import dev.heddle.reactor.Drivers;
import dev.heddle.scheduler.context.ExecutionContext;
import dev.heddle.scheduler.context.TimedWaits;
import dev.heddle.scheduler.context.VirtualThreads;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Timed waits of the JDK in coroutines: timers of the loop.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("T13.2")
class TimedWaitTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final List<String> log = new ArrayList<>();

  /// Each call of the JDK that waits for a limited time, and whose time is over here.
  @SuppressWarnings("WaitNotInLoop") // one wait is the subject, also one that ends for no reason
  enum Wait {
    SLEEP {
      @Override
      void forAMillisecond() throws Exception {
        Thread.sleep(1);
      }
    },
    PARK {
      @Override
      void forAMillisecond() {
        LockSupport.parkNanos(1_000_000);
      }
    },
    PARK_UNTIL {
      @Override
      void forAMillisecond() {
        LockSupport.parkUntil(System.currentTimeMillis() + 2);
      }
    },
    MONITOR {
      @Override
      void forAMillisecond() throws Exception {
        Object monitor = new Object();
        synchronized (monitor) {
          monitor.wait(1);
        }
      }
    },
    POLL {
      @Override
      void forAMillisecond() throws Exception {
        assertThat(new LinkedBlockingQueue<>().poll(1, TimeUnit.MILLISECONDS)).isNull();
      }
    },
    OFFER {
      @Override
      void forAMillisecond() throws Exception {
        BlockingQueue<Integer> full = new ArrayBlockingQueue<>(1);
        full.put(1);
        assertThat(full.offer(2, 1, TimeUnit.MILLISECONDS)).isFalse();
      }
    },
    LATCH {
      @Override
      void forAMillisecond() throws Exception {
        assertThat(new CountDownLatch(1).await(1, TimeUnit.MILLISECONDS)).isFalse();
      }
    },
    PERMIT {
      @Override
      void forAMillisecond() throws Exception {
        assertThat(new Semaphore(0).tryAcquire(1, TimeUnit.MILLISECONDS)).isFalse();
      }
    },
    CONDITION {
      @Override
      void forAMillisecond() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        try {
          assertThat(lock.newCondition().await(1, TimeUnit.MILLISECONDS)).isFalse();
        } finally {
          lock.unlock();
        }
      }
    },
    EXCHANGE {
      @Override
      void forAMillisecond() {
        assertThatThrownBy(() -> new Exchanger<Integer>().exchange(1, 1, TimeUnit.MILLISECONDS))
            .isInstanceOf(TimeoutException.class);
      }
    };

    abstract void forAMillisecond() throws Exception;
  }

  private static Scheduler scheduler() {
    return (Scheduler) ExecutionContext.current().host();
  }

  // how many timers the loop has armed for waits so far
  private static long armed() {
    return scheduler().parkTimers.armed();
  }

  private static int timers() {
    return scheduler().parkTimers.pending();
  }

  /// Holds the loop until its timers have expired.
  private static void holdUntilExpired() {
    while (timers() > 0) {
      scheduler().tickWhileComputing();
    }
  }

  @ParameterizedTest
  @EnumSource
  void timedWait_ofEachKind_isATimerOfTheLoop(Wait wait) {
    Heddle.run(() -> {
      // on a busy machine a millisecond may be over before the wait begins
      for (int i = 0; i < 1_000 && armed() == 0; i++) {
        wait.forAMillisecond();
      }
      assertThat(armed()).isPositive();
      assertThat(timers()).isZero();
    });
  }

  @Test
  void tryLock_ofALockThatIsHeld_givesUpByATimerOfTheLoop() {
    ReentrantLock lock = new ReentrantLock();
    Heddle.run(() -> {
      var holder =
          Heddle.spawn(() -> {
            lock.lock();
            Thread.sleep(LONG);
          });
      Heddle.yieldNow();
      long before = armed();
      for (int i = 0; i < 1_000 && armed() == before; i++) {
        assertThat(lock.tryLock(1, TimeUnit.MILLISECONDS)).isFalse();
      }
      assertThat(armed()).isGreaterThan(before);
      holder.cancel("done");
      assertThatThrownBy(holder::await).hasMessage("done");
      assertThat(timers()).isZero();
    });
  }

  @Test
  void unpark_beforeTheTimeIsOver_removesTheTimer() {
    Heddle.run(() -> {
      List<Thread> threads = new ArrayList<>();
      var parked =
          Heddle.spawn(() -> {
            threads.add(Thread.currentThread());
            LockSupport.parkNanos(LONG.toNanos());
            return timers();
          });
      Heddle.yieldNow();
      assertThat(timers()).isEqualTo(1);
      LockSupport.unpark(threads.getFirst());
      assertThat(parked.await()).isZero();
    });
  }

  @Test
  @SuppressWarnings("WaitNotInLoop") // one wait is the subject
  void notify_beforeTheTimeIsOver_removesTheTimer() {
    Object monitor = new Object();
    Heddle.run(() -> {
      var waiting =
          Heddle.spawn(() -> {
            synchronized (monitor) {
              monitor.wait(LONG.toMillis());
            }
            return timers();
          });
      Heddle.yieldNow();
      assertThat(timers()).isEqualTo(1);
      synchronized (monitor) {
        monitor.notifyAll();
      }
      assertThat(waiting.await()).isZero();
    });
  }

  @Test
  void unpark_whenTheTimeIsJustOver_leavesNoTimerThatEndsTheNextWait() {
    Heddle.run(() -> {
      List<Thread> threads = new ArrayList<>();
      var parked =
          Heddle.spawn(() -> {
            threads.add(Thread.currentThread());
            LockSupport.parkNanos(1_000_000);
            log.add("woken");
            LockSupport.parkNanos(LONG.toNanos());
            log.add("woken again");
          });
      Heddle.yieldNow();
      LockSupport.unpark(threads.getFirst()); // it is ready before its timer expires
      holdUntilExpired();
      for (int i = 0; i < 10; i++) {
        Heddle.yieldNow();
      }
      assertThat(log).containsExactly("woken");
      LockSupport.unpark(threads.getFirst());
      parked.await();
    });
  }

  @Test
  void cancel_ofASleeper_removesTheTimer() {
    Heddle.run(() -> {
      var sleeper = Heddle.spawn(() -> Thread.sleep(LONG));
      Heddle.yieldNow();
      sleeper.cancel("stop");
      assertThatThrownBy(sleeper::await).hasMessage("stop");
      assertThat(timers()).isZero();
    });
  }

  /// A loop in which all coroutines wait in the JDK looks for stalls, whatever limits the waits
  /// have.
  @Test
  void longLimit_ofAWait_leavesItOneThatTheJdkEnds() {
    Heddle.run(() -> {
      List<Boolean> onlyForeign = new ArrayList<>();
      Scheduler loop = scheduler();
      var sleeper = Heddle.spawn(() -> Thread.sleep(LONG));
      var observer =
          Heddle.spawn(() -> {
            onlyForeign.add(loop.hasOnlyForeignWaits());
            sleeper.cancel("seen");
          });
      assertThatThrownBy(sleeper::await).hasMessage("seen");
      observer.await();
      assertThat(onlyForeign).containsExactly(true);
    });
  }

  @Test
  void sleeps_ofTwoLoops_areTimersOfTheirOwn() {
    CyclicBarrier both = new CyclicBarrier(2);
    Body<Integer> body =
        () -> {
          Heddle.offload(both::await);
          var sleeper = Heddle.spawn(() -> Thread.sleep(LONG));
          Heddle.yieldNow();
          int armed = timers();
          Heddle.offload(both::await);
          sleeper.cancel("done");
          return armed;
        };
    Loop<Integer> one = Loop.start(body);
    Loop<Integer> two = Loop.start(body);
    assertThat(one.join()).isEqualTo(1);
    assertThat(two.join()).isEqualTo(1);
  }

  @Test
  void sleep_ofCenturies_waitsAndOfNothing_doesNot() {
    Heddle.run(() -> {
      for (long millis : new long[] {Long.MAX_VALUE, Duration.ofDays(100_000).toMillis()}) {
        var sleeper = Heddle.spawn(() -> Thread.sleep(millis));
        Heddle.yieldNow();
        assertThat(timers()).isEqualTo(1);
        sleeper.cancel("stop");
        assertThatThrownBy(sleeper::await).hasMessage("stop");
      }
      Thread.sleep(0);
      LockSupport.parkNanos(-1);
      assertThat(new LinkedBlockingQueue<>().poll(-1, TimeUnit.DAYS)).isNull();
      assertThat(timers()).isZero();
    });
  }

  @Test
  @Tag("T18")
  void sleeper_thatOutlivesItsLoop_wakesInTime() throws Exception {
    CompletableFuture<String> woken = new CompletableFuture<>();
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              var abandoned =
                  Heddle.spawn(() -> {
                    sleepStubbornly(Duration.ofMillis(50));
                    woken.complete("woken");
                  });
              Heddle.yieldNow();
              Heddle.shutdown(Duration.ZERO);
              abandoned.await();
            }))
        .isInstanceOf(Cancellation.class);
    assertThat(woken.get()).isEqualTo("woken");
  }

  @Test
  @Tag("T18")
  void sleeper_whoseTimerExpiresWhenItsLoopEnds_wakes() throws Exception {
    CompletableFuture<String> woken = new CompletableFuture<>();
    Heddle.run(() -> {
      Heddle.launch(
          "sleeper",
          () -> {
            LockSupport.parkNanos(1_000_000);
            woken.complete("woken");
          });
      Heddle.yieldNow();
      holdUntilExpired();
      scheduler().finish();
    });
    assertThat(woken.get()).isEqualTo("woken");
  }

  private static void sleepStubbornly(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      try {
        Thread.sleep(Duration.ofNanos(left));
      } catch (InterruptedException e) {
        // the point of it: this wait outlives its loop
      }
    }
  }

  @Test
  void sleep_ofAThreadThatACoroutineStarted_isTheJdks() throws Exception {
    Heddle.run(() -> {
      Thread born =
          Thread.ofVirtual()
              .start(() -> {
                LockSupport.parkNanos(1_000_000);
                log.add("slept");
              });
      born.join();
      assertThat(armed()).isZero();
    });
    assertThat(log).containsExactly("slept");
  }

  // ---- what reviews have found ----

  @Test
  void threadOfAnotherScheduler_whoseTurnADriverRuns_hasItsTimerOfTheJdk() {
    StillDriver driver = new StillDriver();
    Queue<Runnable> turns = new ConcurrentLinkedQueue<>();
    driver.onLook = () -> runAll(turns);
    Body<Boolean> body =
        () -> {
          parkAForeignThread(turns, () -> scheduler().requestPoll());
          return true;
        };
    SchedulerParts parts = SchedulerParts.usual(driver);
    assertThat(LoopRuntime.run(HeddleOptions.defaults(), parts, body, loop -> {})).isTrue();
  }

  @Test
  void threadOfAnotherScheduler_whoseTurnACarrierTaskRuns_hasItsTimerOfTheJdk() {
    Queue<Runnable> turns = new ConcurrentLinkedQueue<>();
    Heddle.run(
        () -> parkAForeignThread(turns, () -> scheduler().runOnCarrier(() -> runAll(turns))));
  }

  private static void runAll(Queue<Runnable> turns) {
    for (Runnable turn = turns.poll(); turn != null; turn = turns.poll()) {
      turn.run();
    }
  }

  // a thread whose turns run on the carrier while no coroutine is mounted
  private static void parkAForeignThread(Queue<Runnable> turns, Runnable runTurns) {
    Thread foreign = VirtualThreads.create(turns::add, () -> LockSupport.parkNanos(LONG.toNanos()));
    foreign.start();
    runTurns.run();
    Heddle.yieldNow();
    assertThat(foreign.getState()).isEqualTo(Thread.State.TIMED_WAITING);
    assertThat(armed()).as("timers of the loop").isZero();
    LockSupport.unpark(foreign);
    runTurns.run();
    Heddle.yieldNow();
    assertThat(foreign.getState()).isEqualTo(Thread.State.TERMINATED);
    assertThat(timers()).isZero();
  }

  /// The JDK's code for the end of a wait in a monitor spins while the stack of its thread is read.
  /// A coroutine of the same loop that reads it may be parked in the middle.
  @Test
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  @SuppressWarnings("WaitNotInLoop") // one wait is the subject
  void waitThatExpires_whileACoroutineReadsItsStack_doesNotHoldTheCarrier() throws Exception {
    VarHandle state = virtualThread("state");
    int timedWait = (int) virtualThreadConstant("TIMED_WAIT");
    int suspended = (int) virtualThreadConstant("SUSPENDED");
    Object monitor = new Object();
    Heddle.run(() -> {
      boolean begun = false;
      for (int i = 1; !begun; i *= 2) { // the wait of one may be over before its stack is read
        int millis = i;
        log.clear();
        List<Thread> threads = new ArrayList<>();
        var waiting =
            Heddle.spawn(() -> {
              threads.add(Thread.currentThread());
              synchronized (monitor) {
                monitor.wait(millis);
              }
              log.add("woken");
            });
        Heddle.yieldNow();
        Thread thread = threads.getFirst();
        // what the JDK does before and after it reads a stack
        begun = state.compareAndSet(thread, timedWait, timedWait | suspended);
        if (begun) {
          try {
            holdUntilExpired();
            Heddle.yieldNow(); // the timer has its turn
            Heddle.yieldNow();
            assertThat(log).isEmpty();
          } finally {
            state.setVolatile(thread, timedWait); // else the JDK's thread for timers spins for ever
          }
        }
        waiting.await();
        assertThat(log).containsExactly("woken");
      }
    });
  }

  private static VarHandle virtualThread(String field) throws ReflectiveOperationException {
    Class<?> virtual = Class.forName("java.lang.VirtualThread");
    return MethodHandles.privateLookupIn(virtual, MethodHandles.lookup())
        .findVarHandle(virtual, field, int.class);
  }

  private static Object virtualThreadConstant(String name) throws ReflectiveOperationException {
    Class<?> virtual = Class.forName("java.lang.VirtualThread");
    return MethodHandles.privateLookupIn(virtual, MethodHandles.lookup())
        .findStaticVarHandle(virtual, name, int.class)
        .get();
  }

  @Test
  void loopOnTheCarrierOfAnother_leavesTheOthersWaitsToIt() {
    Heddle.run(() -> {
      scheduler()
          .runOnCarrier(() ->
              Heddle.run(() -> {
                Thread.sleep(1);
                log.add("inside: " + (armed() > 0));
              }));
      Heddle.yieldNow();
      long before = armed();
      Thread.sleep(1);
      log.add("around: " + (armed() > before));
    });
    assertThat(log).containsExactly("inside: true", "around: true");
  }

  /// The loop around it expires no timers meanwhile.
  @Test
  void loopWithAClockOfItsOwn_onTheCarrierOfAnother_isServedByTheJdk() {
    Heddle.run(() -> {
      scheduler()
          .runOnCarrier(() -> {
            var parts =
                new SchedulerParts(
                    Drivers.open("jdk", new Carrier(Thread.currentThread())),
                    () -> System.nanoTime(), // not the usual one
                    ReadyPicker.FIFO,
                    null);
            Body<Boolean> body =
                () -> {
                  Thread.sleep(1);
                  return log.add("inside: " + armed());
                };
            var _ = LoopRuntime.run(HeddleOptions.defaults(), parts, body, loop -> {});
          });
      Heddle.yieldNow();
      assertThat(armed()).isZero();
    });
    assertThat(log).containsExactly("inside: 0");
  }

  @Test
  void waits_thatTheJdkIsToServe_areServedByIt() {
    String before = System.setProperty("heddle.timers", "jdk");
    try {
      assertThat(TimedWaits.problem()).contains("-Dheddle.timers=jdk", "Heddle.delay");
      assertThat(PlatformReport.probe().warnings()).contains(TimedWaits.problem());
      Heddle.run(() -> {
        Thread.sleep(1);
        assertThat(new LinkedBlockingQueue<>().poll(1, TimeUnit.MILLISECONDS)).isNull();
        assertThat(armed()).as("timers of the loop").isZero();
      });
    } finally {
      putBack(before);
    }
  }

  @Test
  void optionThatDoesNotExist_isRefused_withThoseThatDo() {
    String before = System.setProperty("heddle.timers", "wheel");
    try {
      assertThatThrownBy(() -> Heddle.run(() -> {}))
          .hasMessage("heddle.timers is 'wheel', and takes loop or jdk");
      assertThat(PlatformReport.probe().warnings())
          .as("what heddle doctor says")
          .contains("heddle.timers is 'wheel', and takes loop or jdk");
    } finally {
      putBack(before);
    }
  }

  private static void putBack(@Nullable String before) {
    if (before == null) {
      System.clearProperty("heddle.timers");
    } else {
      System.setProperty("heddle.timers", before);
    }
  }
}
