// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.crowd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.libraries.crowd.Crew.Helper;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Conditions of a lock.
final class Conditions {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // guarded by the lock
  private int permits;
  private final List<Integer> order = new ArrayList<>();

  /// Waits for a permit, and notes who got it.
  private void take(int number) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (permits == 0) {
        changed.await();
      }
      permits--;
      order.add(number);
    } finally {
      lock.unlock();
    }
  }

  private int waiting() {
    lock.lock();
    try {
      return lock.getWaitQueueLength(changed);
    } finally {
      lock.unlock();
    }
  }

  private List<Integer> order() {
    lock.lock();
    try {
      return List.copyOf(order);
    } finally {
      lock.unlock();
    }
  }

  private void give(int count, boolean toAll) {
    lock.lock();
    try {
      permits += count;
      if (toAll) {
        changed.signalAll();
      } else {
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private List<Helper> takers(Crew crew, int count) throws Exception {
    List<Helper> takers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      takers.add(crew.start(() -> take(number)));
      Crew.until(() -> waiting() == number + 1);
    }
    return takers;
  }

  private static void joinAll(List<Helper> helpers) throws Exception {
    for (Helper helper : helpers) {
      helper.join();
    }
  }

  @Together
  void signal_wakesInOrderOfArrival(Crew crew) throws Exception {
    List<Helper> takers = takers(crew, 4);
    for (int i = 0; i < 4; i++) {
      int woken = i + 1;
      give(1, false);
      Crew.until(() -> order().size() == woken);
    }
    joinAll(takers);
    assertThat(order()).containsExactly(0, 1, 2, 3);
  }

  @Together
  void signalAll_wakesAll(Crew crew) throws Exception {
    List<Helper> takers = takers(crew, 6);
    give(6, true);
    joinAll(takers);
    assertThat(order()).hasSize(6);
  }

  @Together
  void signal_withNobodyWaiting_isLost(Crew crew) throws Exception {
    give(0, false);
    List<Helper> takers = takers(crew, 1);
    Crew.letOthersRun();
    assertThat(order()).isEmpty();
    give(1, false);
    joinAll(takers);
  }

  @Together
  void await_givesUpAllHolds_andTakesThemAgain(Crew crew) throws Exception {
    Helper taker =
        crew.start(() -> {
          lock.lock();
          try {
            take(7);
            assertThat(lock.getHoldCount()).isEqualTo(1);
          } finally {
            lock.unlock();
          }
        });
    Crew.until(() -> waiting() == 1);
    give(1, false);
    taker.join();
  }

  @Together
  void await_thatIsInterrupted_throwsWithTheLockAndWithoutTheFlag(Crew crew) throws Exception {
    Helper waiter =
        crew.start(() -> {
          lock.lock();
          try {
            assertThatThrownBy(this::awaitForEver).isInstanceOf(InterruptedException.class);
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
          } finally {
            lock.unlock();
          }
        });
    Crew.until(() -> waiting() == 1);
    waiter.interruptInWait();
    waiter.join();
    assertThat(waiting()).isZero();
  }

  private void awaitForEver() throws InterruptedException {
    while (permits == 0) {
      changed.await();
    }
  }

  @Together
  void await_withTheFlagSet_throwsAtOnce(Crew crew) {
    lock.lock();
    try {
      Thread.currentThread().interrupt();
      assertThatThrownBy(this::awaitForEver).isInstanceOf(InterruptedException.class);
    } finally {
      lock.unlock();
    }
  }

  @Together
  void awaitUninterruptibly_thatIsInterrupted_goesOnAndKeepsTheFlag(Crew crew) throws Exception {
    Helper waiter =
        crew.start(() -> {
          lock.lock();
          try {
            while (permits == 0) {
              changed.awaitUninterruptibly();
            }
          } finally {
            lock.unlock();
          }
          assertThat(Thread.interrupted()).isTrue();
        });
    Crew.until(() -> waiting() == 1);
    waiter.interruptInWait();
    Crew.letOthersRun();
    assertThat(waiter.isEnded()).isFalse();
    give(1, true);
    waiter.join();
  }

  @Together
  void await_withALimit_saysThatItPassed(Crew crew) throws Exception {
    lock.lock();
    try {
      long begin = System.nanoTime();
      long left = 2_000_000;
      while (left > 0) {
        left = changed.awaitNanos(left);
      }
      assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(2_000_000);
      while (changed.await(1, TimeUnit.MILLISECONDS)) {
        Thread.onSpinWait(); // true is a wake-up without a reason
      }
      while (changed.awaitUntil(Date.from(Instant.now()))) {
        Thread.onSpinWait();
      }
      assertThat(lock.isHeldByCurrentThread()).isTrue();
    } finally {
      lock.unlock();
    }
  }

  @Together
  void await_withALongLimit_isEndedByASignal(Crew crew) throws Exception {
    Helper waiter =
        crew.start(() -> {
          lock.lock();
          try {
            while (permits == 0) {
              assertThat(changed.awaitNanos(TimeUnit.DAYS.toNanos(1))).isPositive();
            }
          } finally {
            lock.unlock();
          }
        });
    Crew.until(() -> waiting() == 1);
    give(1, false);
    waiter.join();
  }

  @Together
  void awaitAndSignal_withoutTheLock_areRefused(Crew crew) {
    assertThatThrownBy(changed::await).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(changed::signal).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(changed::signalAll).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Together
  void conditionsOfOneLock_areApart(Crew crew) throws Exception {
    Condition other = lock.newCondition();
    List<Helper> takers = takers(crew, 1);
    lock.lock();
    try {
      permits++;
      other.signalAll();
      assertThat(lock.hasWaiters(changed)).isTrue();
      assertThat(lock.hasWaiters(other)).isFalse();
      permits--;
    } finally {
      lock.unlock();
    }
    give(1, false);
    joinAll(takers);
  }
}
