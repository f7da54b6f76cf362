// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.crowd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.libraries.crowd.Crew.Helper;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/// `LockSupport`: permits, limits, interrupts. A park may return for no reason, so each is a loop.
final class Parks {
  private final AtomicBoolean open = new AtomicBoolean();

  private void parkUntilOpen() {
    while (!open.get()) {
      LockSupport.park(this);
    }
  }

  @Together
  void park_untilAnotherUnparks_waits(Crew crew) throws Exception {
    Helper parked = crew.start(this::parkUntilOpen).awaitWait();
    Crew.letOthersRun();
    assertThat(parked.isEnded()).isFalse();
    open.set(true);
    LockSupport.unpark(parked.thread());
    parked.join();
  }

  @Together
  void unpark_beforeThePark_isKept(Crew crew) throws Exception {
    AtomicBoolean mayPark = new AtomicBoolean();
    Helper helper =
        crew.start(() -> {
          Crew.until(mayPark::get);
          LockSupport.park();
        });
    LockSupport.unpark(helper.thread());
    mayPark.set(true);
    helper.join();
  }

  @Together
  void unpark_often_isOnePermit(Crew crew) throws Exception {
    for (int i = 0; i < 3; i++) {
      LockSupport.unpark(Thread.currentThread());
    }
    LockSupport.park();
    Thread self = Thread.currentThread();
    Helper waker =
        crew.start(() -> {
          Crew.until(() -> self.getState() == Thread.State.WAITING);
          open.set(true);
          LockSupport.unpark(self);
        });
    parkUntilOpen();
    waker.join();
  }

  @Together
  void blocker_ofAParkedOne_isWhatItParksFor(Crew crew) throws Exception {
    Helper parked = crew.start(this::parkUntilOpen).awaitWait();
    assertThat(LockSupport.getBlocker(parked.thread())).isSameAs(this);
    open.set(true);
    LockSupport.unpark(parked.thread());
    parked.join();
  }

  @Together
  void parkNanos_inALoop_endsNotBeforeItsTime(Crew crew) {
    long begin = System.nanoTime();
    long nanos = TimeUnit.MILLISECONDS.toNanos(2);
    for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - begin)) {
      LockSupport.parkNanos(this, left);
    }
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(nanos);
  }

  @Together
  void parkUntil_aMomentThatHasPassed_returns(Crew crew) {
    LockSupport.parkUntil(this, System.currentTimeMillis() - 1);
    LockSupport.parkNanos(this, 0);
    LockSupport.parkNanos(this, -1);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Together
  void park_thatIsInterrupted_returnsWithTheFlagSet(Crew crew) throws Exception {
    Helper parked =
        crew.start(() -> {
          while (!Thread.currentThread().isInterrupted()) {
            LockSupport.park(this);
          }
          assertThat(Thread.interrupted()).isTrue();
          assertThat(Thread.interrupted()).isFalse();
        });
    parked.interruptInWait();
    parked.join();
  }

  @Together
  void park_withTheFlagSet_returnsAtOnce(Crew crew) {
    Thread.currentThread().interrupt();
    LockSupport.park(this);
    LockSupport.parkNanos(this, TimeUnit.DAYS.toNanos(1));
    LockSupport.parkUntil(this, Long.MAX_VALUE);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Together
  void parks_passedRoundARing_loseNoWakeUp(Crew crew) throws Exception {
    int runners = 4;
    int rounds = 50;
    AtomicInteger turn = new AtomicInteger();
    Helper[] ring = new Helper[runners];
    AtomicBoolean ready = new AtomicBoolean();
    for (int i = 0; i < runners; i++) {
      int number = i;
      ring[i] =
          crew.start(() -> {
            Crew.until(ready::get);
            Thread next = ring[(number + 1) % runners].thread();
            for (int round = 0; round < rounds; round++) {
              while (turn.get() % runners != number) {
                LockSupport.park(turn);
              }
              turn.incrementAndGet();
              LockSupport.unpark(next);
            }
          });
    }
    ready.set(true);
    for (Helper runner : ring) {
      runner.join();
    }
    assertThat(turn).hasValue(runners * rounds);
  }

  @Together
  void park_belowManyCalls_keepsThemAll(Crew crew) throws Exception {
    Helper parked = crew.start(() -> assertThat(deep(200)).isEqualTo(200)).awaitWait();
    open.set(true);
    LockSupport.unpark(parked.thread());
    parked.join();
  }

  private int deep(int calls) {
    if (calls == 0) {
      parkUntilOpen();
      return 0;
    }
    return 1 + deep(calls - 1);
  }
}
