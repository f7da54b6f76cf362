// SPDX-License-Identifier: Apache-2.0
package dev.heddle.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A lock that nobody is parked for.
@Timeout(300)
class SpinLockTest {
  private static final int TURNS = 100_000;

  private final SpinLock lock = new SpinLock();
  private long count; // plain: the lock is what makes it right

  @Test
  void threadsAndVirtualThreads_holdItOneAtATime() throws Exception {
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      all.add(Thread.ofPlatform().start(this::countUp));
      all.add(Thread.ofVirtual().start(this::countUp));
    }
    for (Thread thread : all) {
      thread.join();
    }
    assertThat(count).isEqualTo((long) all.size() * TURNS);
  }

  private void countUp() {
    for (int i = 0; i < TURNS; i++) {
      lock.lock();
      try {
        count++;
      } finally {
        lock.unlock();
      }
    }
  }

  @Test
  void tryLock_whileItIsHeld_returnsFalse() {
    assertThat(lock.tryLock()).isTrue();
    assertThat(lock.tryLock()).isFalse();
    lock.unlock();
    assertThat(lock.tryLock()).isTrue();
  }
}
