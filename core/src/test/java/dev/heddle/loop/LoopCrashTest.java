// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.LoopEndedException;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.Support;
import dev.heddle.scheduler.Clock;
import dev.heddle.scheduler.ReadyPicker;
import dev.heddle.scheduler.SchedulerParts;
import dev.heddle.scheduler.SchedulerParts.Births;
import dev.heddle.scheduler.context.JdkScheduler;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A loop that ends as a program does whose machine loses its power.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopCrashTest {
  private static final int CRASHES = 1_000;

  private final List<String> ran = new ArrayList<>();
  private @Nullable LoopRuntime loop;
  private Runnable onSleep = () -> {};

  /// Nothing happens outside; a sleep calls back.
  private final class Outside implements ReactorDriver {
    boolean closed;

    @Override
    public String name() {
      return "test";
    }

    @Override
    public Map<Capability, Support> capabilities() {
      return Map.of();
    }

    @Override
    public boolean isArmed() {
      return false;
    }

    @Override
    public boolean hasEmbeddedEventLoop() {
      return true;
    }

    @Override
    public int poll(long deadlineNanos) {
      if (deadlineNanos != NO_WAIT) {
        onSleep.run();
      }
      return 0;
    }

    @Override
    public void wakeup() {}

    @Override
    public void close() {
      closed = true;
    }
  }

  private Outside runTillCrash(Action main) {
    Outside outside = new Outside();
    SchedulerParts parts =
        new SchedulerParts(outside, Clock.SYSTEM, ReadyPicker.FIFO, null, Births.ON_LOOP, false);
    assertThatThrownBy(() ->
            LoopRuntime.<@Nullable Void>run(
                HeddleOptions.defaults().withName("victim"),
                parts,
                () -> {
                  main.run();
                  return null;
                },
                started -> loop = started))
        .isInstanceOf(LoopEndedException.class)
        .hasMessage("the loop 'victim' has crashed");
    return outside;
  }

  private void crash() {
    if (loop != null) {
      loop.crash(() -> {});
    }
  }

  private void logsItsEnd(Action wait) throws Exception {
    try {
      wait.run();
      ran.add("went on");
    } finally {
      ran.add("finally");
    }
  }

  @Test
  void crash_whileAllWait_runsNoFinallyBlock_andClosesNothing() {
    onSleep = this::crash;
    CompletableFuture<String> never = new CompletableFuture<>();
    Outside outside =
        runTillCrash(() -> {
          Heddle.launch("waits for an event", () -> logsItsEnd(() -> Heddle.await(never)));
          Heddle.launch("waits in the JDK", () -> logsItsEnd(LockSupport::park));
          logsItsEnd(() -> new CountDownLatch(1).await());
        });
    assertThat(ran).isEmpty();
    assertThat(outside.closed).isFalse();
  }

  @Test
  void crash_byACoroutine_doesNotReturn_andDropsWhatIsReady() {
    runTillCrash(() ->
        logsItsEnd(() -> {
          Heddle.launch("ready", () -> logsItsEnd(() -> {}));
          crash();
        }));
    assertThat(ran).isEmpty();
  }

  @Test
  void crash_isTheEndOfEachThread_soThatNoWakeUpContinuesIt() throws Exception {
    onSleep = this::crash;
    List<Thread> waiting = new ArrayList<>();
    CompletableFuture<String> later = new CompletableFuture<>();
    runTillCrash(() -> {
      Thread.startVirtualThread(() -> {
        waiting.add(Thread.currentThread());
        LockSupport.park();
        ran.add("a thread of the program went on");
      });
      Heddle.launch(
          "waits for an event",
          () -> {
            waiting.add(Thread.currentThread());
            logsItsEnd(() -> Heddle.await(later));
          });
      waiting.add(Thread.currentThread());
      logsItsEnd(LockSupport::park);
    });
    assertThat(waiting).hasSize(3);
    assertThat(waiting).allMatch(thread -> thread.getState() == Thread.State.TERMINATED);
    waiting.forEach(LockSupport::unpark);
    waiting.forEach(Thread::interrupt);
    later.complete("late");
    JdkScheduler.runWhatItHas();
    assertThat(ran).isEmpty();
  }

  @Test
  void turnOfAThread_afterTheCrash_isNotRun() throws InterruptedException {
    LoopRuntime[] crashed = new LoopRuntime[1];
    runTillCrash(() -> {
      crashed[0] = loop;
      crash();
    });
    crashed[0].scheduler().runBorn(() -> ran.add("went on"));
    JdkScheduler.runWhatItHas();
    assertThat(ran).isEmpty();
  }

  @Test
  void crash_inAClassInitialiser_isRefused_andTheLoopGoesOn() {
    runTillCrash(() -> {
      assertThatThrownBy(() -> Initialiser.crash(this))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("inside a class initialiser");
      Heddle.yieldNow();
      ran.add("went on");
      crash();
    });
    assertThat(ran).containsExactly("went on");
  }

  /// Crashes where a coroutine cannot leave its carrier.
  private static final class Initialiser {
    static @Nullable LoopCrashTest test;

    static void crash(LoopCrashTest by) throws Throwable {
      test = by;
      Throwable refusal = Frame.REFUSAL;
      if (refusal != null) {
        throw refusal;
      }
    }

    private static final class Frame {
      @SuppressWarnings("StaticAssignmentOfThrowable") // made once, for one test
      static final @Nullable Throwable REFUSAL = refusal();

      private static @Nullable Throwable refusal() {
        LoopCrashTest by = Objects.requireNonNull(test);
        try {
          Objects.requireNonNull(by.loop).crash(() -> by.ran.add("power lost"));
          return null;
        } catch (IllegalStateException e) {
          return e;
        }
      }
    }
  }

  @Test
  void crash_whoseFirstStepFails_dropsTheRestAllTheSame() {
    List<Thread> waiting = new ArrayList<>();
    runTillCrash(() -> {
      Heddle.launch(
          "waits",
          () -> {
            waiting.add(Thread.currentThread());
            logsItsEnd(LockSupport::park);
          });
      Heddle.yieldNow();
      Objects.requireNonNull(loop)
          .crash(() -> {
            throw new IllegalStateException("a step that fails");
          });
    });
    assertThat(waiting).hasSize(1).allMatch(thread -> !thread.isAlive());
    assertThat(ran).isEmpty();
  }

  private void leavesNothing(Consumer<byte[]> main) {
    List<WeakReference<Object>> onStacks = new ArrayList<>();
    for (int i = 0; i < CRASHES; i++) {
      runTillCrash(() -> {
        byte[] local = new byte[100_000];
        onStacks.add(new WeakReference<>(local));
        main.accept(local);
      });
    }
    loop = null;
    assertThat(onStacks).hasSize(CRASHES);
    while (!onStacks.stream().allMatch(local -> local.refersTo(null))) {
      System.gc();
    }
  }

  @Test
  void crashes_leaveNothingReachable() {
    onSleep = this::crash;
    leavesNothing(local -> {
      Heddle.launch("waits", () -> logsItsEnd(LockSupport::park));
      LockSupport.park();
      ran.add("went on with " + local.length);
    });
    assertThat(ran).isEmpty();
  }

  @Test
  void crashes_leaveNoThreadReachable_thatIsNoCoroutine() {
    leavesNothing(local -> {
      Runnable waits =
          () -> {
            LockSupport.park();
            ran.add("went on with " + local.length);
          };
      Thread.startVirtualThread(waits);
      Heddle.launch(
          "offloads",
          () ->
              Heddle.offload(() -> {
                Thread.startVirtualThread(waits); // which is not the loop's own
                waits.run();
                return null;
              }));
      for (int i = 0; i < 3; i++) {
        Heddle.yieldNow();
      }
      Thread.startVirtualThread(waits); // will not have begun
      crash();
    });
    assertThat(ran).isEmpty();
  }
}
