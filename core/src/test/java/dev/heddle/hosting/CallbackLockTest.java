// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.event.EventCallback;
import dev.heddle.event.source.EventSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A user's callback that wants a lock which a suspended coroutine holds: on the carrier, or on the
/// stack of a coroutine that suspends, it would stop the loop for ever.
@Tag("trap-42")
@Tag("trap-64")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CallbackLockTest {
  private final List<String> log = new ArrayList<>();

  private void runWithHolder(EventCallback callback, Runnable holder) {
    Heddle.run(() -> {
      EventSource timer = EventSource.of(Heddle.timer(Duration.ofMillis(1)));
      timer.subscribe(callback);
      timer.start();
      holder.run();
      Beside.until(() -> log.contains("callback"));
      timer.stop();
    });
  }

  private void holdUntilTheTimerHasFired() {
    log.add("holds");
    Heddle.delay(Duration.ofMillis(3));
    for (int i = 0; i < Beside.TURNS; i++) {
      Heddle.yieldNow();
    }
    log.add("lets go");
  }

  @Test
  void lock_heldByASuspendedCoroutine_makesTheCallbackWaitAndTheLoopGoOn() {
    ReentrantLock lock = new ReentrantLock();
    runWithHolder(
        (event, result, error) -> {
          lock.lock();
          log.add("callback");
          lock.unlock();
        },
        () -> {
          lock.lock();
          holdUntilTheTimerHasFired();
          lock.unlock();
        });
    assertThat(log).containsExactly("holds", "lets go", "callback");
  }

  @Test
  void monitor_heldByASuspendedCoroutine_makesTheCallbackWaitAndTheLoopGoOn() {
    Object monitor = new Object();
    runWithHolder(
        (event, result, error) -> {
          synchronized (monitor) {
            log.add("callback");
          }
        },
        () -> {
          synchronized (monitor) {
            holdUntilTheTimerHasFired();
          }
        });
    assertThat(log).containsExactly("holds", "lets go", "callback");
  }

  @Test
  void callbacksBehindOneThatWaits_waitWithItAndKeepTheirOrder() {
    ReentrantLock lock = new ReentrantLock();
    Heddle.run(() -> {
      EventSource timer = EventSource.of(Heddle.timer(Duration.ofMillis(1)));
      timer.subscribe((event, result, error) -> {
        lock.lock();
        lock.unlock();
        log.add("first");
      });
      timer.subscribe((event, result, error) -> log.add("second"));
      timer.start();
      lock.lock();
      holdUntilTheTimerHasFired();
      lock.unlock();
      Beside.until(() -> log.contains("second"));
      timer.stop();
    });
    assertThat(log).containsExactly("holds", "lets go", "first", "second");
  }
}
