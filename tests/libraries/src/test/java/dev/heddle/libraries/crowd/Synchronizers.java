// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.crowd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.libraries.crowd.Crew.Helper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Exchanger;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Semaphores, latches, exchangers.
final class Synchronizers {
  private final Semaphore semaphore = new Semaphore(0, true);
  private final Exchanger<Integer> exchanger = new Exchanger<>();

  @Together
  void permits_goToThoseWhoHaveWaitedLongest(Crew crew) throws Exception {
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    List<Helper> helpers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int number = i;
      helpers.add(
          crew.start(() -> {
            semaphore.acquire();
            order.add(number);
          }));
      Crew.until(() -> semaphore.getQueueLength() == number + 1);
    }
    for (int i = 1; i <= 4; i++) {
      int got = i;
      semaphore.release();
      Crew.until(() -> order.size() == got);
    }
    for (Helper helper : helpers) {
      helper.join();
    }
    assertThat(order).containsExactly(0, 1, 2, 3);
  }

  @Together
  void release_ofSeveral_letsSeveralIn(Crew crew) throws Exception {
    List<Helper> helpers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      helpers.add(crew.start(() -> semaphore.acquire(2)));
    }
    Crew.until(() -> semaphore.getQueueLength() == 3);
    semaphore.release(5); // enough for two
    Crew.until(() -> semaphore.getQueueLength() == 1);
    semaphore.release(1);
    for (Helper helper : helpers) {
      helper.join();
    }
    assertThat(semaphore.availablePermits()).isZero();
    semaphore.release(3);
    assertThat(semaphore.drainPermits()).isEqualTo(3);
  }

  @Together
  void acquire_thatIsInterrupted_throwsAndTakesNothing(Crew crew) throws Exception {
    Helper waiter =
        crew.start(
            () -> assertThatThrownBy(semaphore::acquire).isInstanceOf(InterruptedException.class));
    waiter.interruptInWait();
    waiter.join();
    semaphore.release();
    assertThat(semaphore.tryAcquire()).isTrue();
  }

  @Together
  void acquireUninterruptibly_thatIsInterrupted_goesOnAndKeepsTheFlag(Crew crew) throws Exception {
    Helper waiter =
        crew.start(() -> {
          semaphore.acquireUninterruptibly();
          assertThat(Thread.interrupted()).isTrue();
        });
    waiter.interruptInWait();
    Crew.letOthersRun();
    assertThat(waiter.isEnded()).isFalse();
    semaphore.release();
    waiter.join();
  }

  @Together
  void tryAcquire_withALimit_saysNoOnceItHasPassed(Crew crew) throws Exception {
    assertThat(semaphore.tryAcquire()).isFalse();
    assertThat(semaphore.tryAcquire(2, TimeUnit.MILLISECONDS)).isFalse();
    Helper patient = crew.start(() -> assertThat(semaphore.tryAcquire(1, TimeUnit.DAYS)).isTrue());
    patient.awaitWait();
    semaphore.release();
    patient.join();
  }

  @Together
  void semaphore_asMutex_letsInOneAtATime(Crew crew) throws Exception {
    Semaphore mutex = new Semaphore(1);
    int[] count = {0};
    List<Helper> helpers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      helpers.add(
          crew.start(() -> {
            for (int j = 0; j < 10; j++) {
              mutex.acquire();
              int before = count[0];
              Crew.yieldToOthers();
              count[0] = before + 1;
              mutex.release();
            }
          }));
    }
    for (Helper helper : helpers) {
      helper.join();
    }
    assertThat(count[0]).isEqualTo(80);
  }

  @Together
  void latch_openedByTheLast_letsAllPass(Crew crew) throws Exception {
    CountDownLatch latch = new CountDownLatch(3);
    List<Helper> helpers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      helpers.add(crew.start(latch::await).awaitWait());
    }
    latch.countDown();
    latch.countDown();
    Crew.letOthersRun();
    assertThat(helpers).noneMatch(Helper::isEnded);
    latch.countDown();
    for (Helper helper : helpers) {
      helper.join();
    }
    latch.await();
    latch.countDown();
    assertThat(latch.getCount()).isZero();
  }

  @Together
  void latch_withALimitOrAnInterrupt_endsTheWait(Crew crew) throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    assertThat(latch.await(2, TimeUnit.MILLISECONDS)).isFalse();
    Helper waiter =
        crew.start(() ->
            assertThatThrownBy(() -> latch.await(1, TimeUnit.DAYS))
                .isInstanceOf(InterruptedException.class));
    waiter.interruptInWait();
    waiter.join();
    assertThat(latch.getCount()).isEqualTo(1);
  }

  @Together
  void exchange_ofTwo_givesEachTheOthers(Crew crew) throws Exception {
    Helper other = crew.start(() -> assertThat(exchanger.exchange(1)).isEqualTo(2));
    assertThat(exchanger.exchange(2)).isEqualTo(1);
    other.join();
  }

  @Together
  void exchange_ofMany_losesAndDoublesNothing(Crew crew) throws Exception {
    int helpers = 8; // an even number, so that everybody finds a partner
    Set<Integer> got = Collections.synchronizedSet(new HashSet<>());
    List<Helper> all = new ArrayList<>();
    for (int i = 0; i < helpers; i++) {
      int number = i;
      all.add(crew.start(() -> assertThat(got.add(exchanger.exchange(number))).isTrue()));
    }
    for (Helper helper : all) {
      helper.join();
    }
    assertThat(got).hasSize(helpers);
  }

  @Together
  void exchange_withoutAPartner_timesOutOrIsInterrupted(Crew crew) throws Exception {
    assertThatThrownBy(() -> exchanger.exchange(1, 2, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    Helper waiter =
        crew.start(() ->
            assertThatThrownBy(() -> exchanger.exchange(1))
                .isInstanceOf(InterruptedException.class));
    waiter.interruptInWait();
    waiter.join();
  }
}
