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
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
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
        new SchedulerParts(outside, Clock.SYSTEM, ReadyPicker.FIFO, null, Births.ON_LOOP);
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
      loop.crash();
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
  void wakeUp_afterTheCrash_runsNothing() throws Exception {
    onSleep = this::crash;
    List<Thread> waiting = new ArrayList<>();
    CompletableFuture<String> later = new CompletableFuture<>();
    runTillCrash(() -> {
      Thread.startVirtualThread(() -> {
        waiting.add(Thread.currentThread());
        LockSupport.park();
        ran.add("a thread of the program went on");
      });
      waiting.add(Thread.currentThread());
      Heddle.launch("waits for an event", () -> logsItsEnd(() -> Heddle.await(later)));
      logsItsEnd(LockSupport::park);
    });
    assertThat(waiting).hasSize(2);
    waiting.forEach(LockSupport::unpark);
    waiting.forEach(Thread::interrupt);
    later.complete("late");
    // what the JDK's own scheduler gets from now on is behind what it could have got before
    Thread.startVirtualThread(() -> {}).join();
    assertThat(ran).isEmpty();
    assertThat(waiting).anyMatch(thread -> thread.getState() == Thread.State.TERMINATED);
  }

  @Test
  void crashes_leaveNothingReachable() {
    onSleep = this::crash;
    List<WeakReference<Object>> onStacks = new ArrayList<>();
    for (int i = 0; i < CRASHES; i++) {
      runTillCrash(() -> {
        byte[] local = new byte[100_000];
        onStacks.add(new WeakReference<>(local));
        Heddle.launch("waits", () -> logsItsEnd(LockSupport::park));
        logsItsEnd(LockSupport::park);
        assertThat(local).isNotNull();
      });
    }
    loop = null;
    System.gc();
    assertThat(onStacks).hasSize(CRASHES).allMatch(local -> local.refersTo(null));
  }
}
