// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.scheduler.Scheduler;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a coroutine waits for that other threads write.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RemoteSignalTest {
  private final AtomicInteger arrivals = new AtomicInteger();

  private RemoteSignal signal(Scheduler home, BooleanSupplier ready) {
    return new RemoteSignal(home, home.inbox(), "a change", ready, arrivals::incrementAndGet);
  }

  private static Scheduler here() {
    return CoroutineNode.current().scheduler();
  }

  @Test
  void change_beforeTheWait_endsItAtOnce() {
    Heddle.run(() -> {
      Scheduler home = here();
      home.await(signal(home, () -> true));
    });
    assertThat(arrivals).hasValue(1);
  }

  @Test
  void change_duringTheWait_endsIt() {
    Heddle.run(() -> {
      Scheduler home = here();
      RemoteSignal signal = signal(home, () -> false);
      Heddle.spawn(signal::signal);
      home.await(signal);
    });
    assertThat(arrivals).hasValue(1);
  }

  /// The thread has written its change, and is then descheduled: it signals when the loop sleeps.
  @Test
  void wait_duringWhoseBeginningAChangeComes_isNoDeadlock() {
    Heddle.run(() -> {
      Scheduler home = here();
      AtomicInteger asked = new AtomicInteger();
      RemoteSignal signal = signal(home, () -> asked.incrementAndGet() > 1);
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            while (!home.isAsleep() && !home.hasEnded()) {
              Thread.onSpinWait();
            }
            signal.signal();
          });
      home.await(signal);
    });
    assertThat(arrivals).hasValue(1);
  }

  @Test
  void signals_thatComeTogether_arriveOnce_andTheNextOneArrivesAgain() {
    Heddle.run(() -> {
      Scheduler home = here();
      RemoteSignal signal = signal(home, () -> false);
      signal.signal();
      signal.signal();
      Heddle.yieldNow();
      assertThat(arrivals).hasValue(1);
      signal.signal();
      Heddle.yieldNow();
      assertThat(arrivals).hasValue(2);
    });
  }
}
