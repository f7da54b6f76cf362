// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The state that JDK 25 leaves behind an `Object.wait` that was cut beside a contended monitor: a
/// thread that has it holds its carrier in its next one.
@Tag("loop-320")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeftBlockingTest {
  private static final Duration SHORT = Duration.ofMillis(1);

  /// What the JDK does at times, when another thread gives back the monitor in that moment.
  @SuppressWarnings("WaitNotInLoop") // nobody notifies it
  private static void waitAndBeLeftBlocking(Object monitor) throws Exception {
    Class<?> virtual = Class.forName("java.lang.VirtualThread");
    MethodHandles.Lookup in = MethodHandles.privateLookupIn(virtual, MethodHandles.lookup());
    VarHandle state = in.findVarHandle(virtual, "state", int.class);
    int blocking = (int) in.findStaticVarHandle(virtual, "BLOCKING", int.class).get();
    try {
      synchronized (monitor) {
        monitor.wait();
      }
    } finally {
      state.set(Thread.currentThread(), blocking);
    }
  }

  private static Thread.State stateNow() {
    return Thread.currentThread().getState();
  }

  @Test
  void objectWait_thatLeavesItsThreadAsOneThatBlocks_isMendedByTheBlockThatCutIt() {
    Object monitor = new Object();
    Heddle.run(() -> {
      assertThatThrownBy(() -> Heddle.withTimeout(SHORT, () -> waitAndBeLeftBlocking(monitor)))
          .isInstanceOf(DeadlineException.class);
      assertThat(stateNow()).isEqualTo(Thread.State.RUNNABLE);
    });
  }

  @Test
  void objectWait_thatLeavesItsThreadAsOneThatBlocks_isMendedByProtect() {
    Object monitor = new Object();
    List<Thread.State> inCleanUp = new ArrayList<>();
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.withTimeout(
                    SHORT,
                    () -> {
                      try {
                        waitAndBeLeftBlocking(monitor);
                      } finally {
                        Heddle.shield(() -> inCleanUp.add(stateNow()));
                      }
                    }))
            .isInstanceOf(DeadlineException.class));
    assertThat(inCleanUp).containsExactly(Thread.State.RUNNABLE);
  }

  @Test
  void coroutineThatEndsAsOneThatBlocks_leavesNothingOfThatToTheNextOnItsContext() {
    Object monitor = new Object();
    Thread.State next =
        Heddle.run(() -> {
          Coroutine<?> cut = Heddle.spawn(() -> waitAndBeLeftBlocking(monitor));
          Beside.until(cut::isSuspended);
          Coroutine<Thread.State> ready = Heddle.spawn(LeftBlockingTest::stateNow);
          cut.cancel("enough");
          assertThatThrownBy(cut::await).hasMessage("enough");
          return ready.await();
        });
    assertThat(next).isEqualTo(Thread.State.RUNNABLE);
  }
}
