// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.crowd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.libraries.crowd.Crew.Helper;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/// Barriers and phasers.
final class Barriers {

  private static List<Helper> start(Crew crew, int count, Action body) {
    List<Helper> helpers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      helpers.add(crew.start(body));
    }
    return helpers;
  }

  private static void joinAll(List<Helper> helpers) throws Exception {
    for (Helper helper : helpers) {
      helper.join();
    }
  }

  @Together
  void barrier_tripsAgainAndAgain_withItsActionBeforeAnyoneGoesOn(Crew crew) throws Exception {
    AtomicInteger trips = new AtomicInteger();
    CyclicBarrier barrier = new CyclicBarrier(4, trips::incrementAndGet);
    joinAll(
        start(
            crew,
            4,
            () -> {
              for (int round = 1; round <= 20; round++) {
                barrier.await();
                assertThat(trips.get()).isGreaterThanOrEqualTo(round);
              }
            }));
    assertThat(trips).hasValue(20);
  }

  @Together
  void barrier_thatLacksOne_holdsTheOthers(Crew crew) throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(3);
    List<Helper> two = start(crew, 2, barrier::await);
    Crew.until(() -> barrier.getNumberWaiting() == 2);
    Crew.letOthersRun();
    assertThat(two).noneMatch(Helper::isEnded);
    assertThat(barrier.await()).isZero(); // the last to arrive
    joinAll(two);
  }

  @Together
  void barrier_oneOfWhoseWaitersIsInterrupted_breaksForAll(Crew crew) throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(3);
    Helper other =
        crew.start(
            () -> assertThatThrownBy(barrier::await).isInstanceOf(BrokenBarrierException.class));
    Crew.until(() -> barrier.getNumberWaiting() == 1);
    Helper waiter =
        crew.start(
            () -> assertThatThrownBy(barrier::await).isInstanceOf(InterruptedException.class));
    Crew.until(() -> barrier.getNumberWaiting() == 2);
    waiter.interruptInWait();
    waiter.join();
    other.join();
    assertThat(barrier.isBroken()).isTrue();
  }

  @Together
  void barrier_withALimitThatPasses_breaks(Crew crew) throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(2);
    assertThatThrownBy(() -> barrier.await(2, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    assertThatThrownBy(barrier::await).isInstanceOf(BrokenBarrierException.class);
    barrier.reset();
    Helper other = crew.start(barrier::await);
    barrier.await();
    other.join();
  }

  @Together
  void barrier_thatIsReset_breaksForThoseWhoWait(Crew crew) throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(2);
    Helper waiter =
        crew.start(
            () -> assertThatThrownBy(barrier::await).isInstanceOf(BrokenBarrierException.class));
    Crew.until(() -> barrier.getNumberWaiting() == 1);
    barrier.reset();
    waiter.join();
    assertThat(barrier.isBroken()).isFalse();
  }

  @Together
  void barrier_whoseActionFails_breaks(Crew crew) throws Exception {
    CyclicBarrier barrier =
        new CyclicBarrier(
            2,
            () -> {
              throw new IllegalStateException("action");
            });
    Helper waiter =
        crew.start(
            () -> assertThatThrownBy(barrier::await).isInstanceOf(BrokenBarrierException.class));
    Crew.until(() -> barrier.getNumberWaiting() == 1);
    assertThatThrownBy(barrier::await).hasMessage("action");
    waiter.join();
  }

  @Together
  void phaser_advancesWhenAllHaveArrived(Crew crew) throws Exception {
    Phaser phaser = new Phaser(4);
    AtomicInteger[] arrived = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
    joinAll(
        start(
            crew,
            4,
            () -> {
              for (int phase = 0; phase < 3; phase++) {
                arrived[phase].incrementAndGet();
                assertThat(phaser.arriveAndAwaitAdvance()).isEqualTo(phase + 1);
                assertThat(arrived[phase]).hasValue(4);
              }
            }));
  }

  @Together
  void phaser_withPartiesThatComeAndGo_countsThem(Crew crew) throws Exception {
    Phaser phaser = new Phaser(1);
    phaser.bulkRegister(2);
    List<Helper> leavers = start(crew, 2, phaser::arriveAndDeregister);
    joinAll(leavers);
    assertThat(phaser.getRegisteredParties()).isEqualTo(1);
    assertThat(phaser.getPhase()).isZero();
    phaser.arriveAndDeregister();
    assertThat(phaser.isTerminated()).isTrue();
    assertThat(phaser.arriveAndAwaitAdvance()).isNegative();
  }

  @Together
  void phaser_awaitedInterruptibly_canBeInterruptedAndTimesOut(Crew crew) throws Exception {
    Phaser phaser = new Phaser(1);
    assertThatThrownBy(() -> phaser.awaitAdvanceInterruptibly(0, 2, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    Helper waiter =
        crew.start(() ->
            assertThatThrownBy(() -> phaser.awaitAdvanceInterruptibly(0))
                .isInstanceOf(InterruptedException.class));
    waiter.interruptInWait();
    waiter.join();
    assertThat(phaser.arrive()).isZero();
  }

  @Together
  void phaser_awaitedAndInterrupted_goesOnAndKeepsTheFlag(Crew crew) throws Exception {
    Phaser phaser = new Phaser(1);
    Helper waiter =
        crew.start(() -> {
          assertThat(phaser.awaitAdvance(0)).isEqualTo(1);
          assertThat(Thread.interrupted()).isTrue();
        });
    waiter.interruptInWait();
    Crew.letOthersRun();
    assertThat(waiter.isEnded()).isFalse();
    phaser.arrive();
    waiter.join();
  }

  @Together
  void phaser_thatIsTerminated_letsAllGo(Crew crew) throws Exception {
    Phaser phaser = new Phaser(2);
    Helper waiter =
        crew.start(() -> assertThat(phaser.arriveAndAwaitAdvance()).isNegative()).awaitWait();
    phaser.forceTermination();
    waiter.join();
  }

  @Together
  void phasersInATree_advanceTogether(Crew crew) throws Exception {
    Phaser root = new Phaser();
    Phaser left = new Phaser(root, 2);
    Phaser right = new Phaser(root, 2);
    List<Helper> helpers = start(crew, 2, () -> round(left));
    helpers.addAll(start(crew, 2, () -> round(right)));
    joinAll(helpers);
    assertThat(root.getPhase()).isEqualTo(5);
  }

  private static void round(Phaser phaser) {
    for (int phase = 0; phase < 5; phase++) {
      assertThat(phaser.arriveAndAwaitAdvance()).isEqualTo(phase + 1);
    }
  }
}
