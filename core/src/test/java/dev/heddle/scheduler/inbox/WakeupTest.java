// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("T15")
@Tag("trap-40")
@Tag("once")
class WakeupTest {
  private final AtomicInteger calls = new AtomicInteger();
  private final Wakeup wakeup = new Wakeup(calls::incrementAndGet);

  @Test
  void signal_whileAwake_doesNotCallTheDriver() {
    wakeup.signal();
    assertThat(calls).hasValue(0);
  }

  @Test
  void signal_whileAsleep_callsTheDriverOncePerSleep() {
    wakeup.beforeSleep();
    wakeup.signal();
    wakeup.signal();
    assertThat(calls).hasValue(1);
  }

  @Test
  void signal_afterTheSleep_doesNotCallTheDriver() {
    wakeup.beforeSleep();
    wakeup.afterSleep();
    wakeup.signal();
    assertThat(calls).hasValue(0);
  }

  @Test
  void signal_inTheNextSleep_callsAgain() {
    wakeup.beforeSleep();
    wakeup.signal();
    wakeup.afterSleep();
    wakeup.beforeSleep();
    wakeup.signal();
    assertThat(calls).hasValue(2);
  }

  /// The whole protocol against a real sleeper: a lost wake-up hangs it, which the guard reports.
  @Test
  @Timeout(300)
  void posts_againstASleepingCarrier_areNeverSleptOn() throws Exception {
    Semaphore bed = new Semaphore(0);
    Wakeup real = new Wakeup(bed::release);
    Inbox inbox = new Inbox(real);
    int[] seen = new int[1];
    int posts = 50_000;
    Thread producer =
        Thread.ofPlatform()
            .start(() -> {
              for (int i = 0; i < posts; i++) {
                inbox.post(new Counted(seen));
                if (i % 64 == 0) {
                  Thread.yield();
                }
              }
            });
    while (seen[0] < posts) {
      inbox.drain();
      if (seen[0] == posts) {
        break;
      }
      real.beforeSleep();
      if (inbox.isEmpty()) {
        bed.acquire();
      }
      real.afterSleep();
      bed.drainPermits();
    }
    producer.join();
    assertThat(seen[0]).isEqualTo(posts);
  }

  private static final class Counted extends Inbox.Node {
    private final int[] seen;

    Counted(int[] seen) {
      this.seen = seen;
    }

    @Override
    public void onArrival() {
      seen[0]++;
    }
  }
}
