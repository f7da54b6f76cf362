// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.crowd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.libraries.crowd.Crew.Helper;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// `synchronized`, `wait`, `notify`.
final class Monitors {
  private final Object monitor = new Object();

  // guarded by the monitor
  private int permits;
  private int waiting;
  private int taken;

  private void take() throws InterruptedException {
    synchronized (monitor) {
      waiting++;
      while (permits == 0) {
        monitor.wait();
      }
      permits--;
      taken++;
    }
  }

  private boolean allWait(int count) {
    synchronized (monitor) {
      return waiting == count;
    }
  }

  private int taken() {
    synchronized (monitor) {
      return taken;
    }
  }

  private List<Helper> takers(Crew crew, int count) throws Exception {
    List<Helper> takers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      takers.add(crew.start(this::take));
    }
    Crew.until(() -> allWait(count));
    return takers;
  }

  private static void joinAll(List<Helper> helpers) throws Exception {
    for (Helper helper : helpers) {
      helper.join();
    }
  }

  @Together
  void synchronized_overAYield_letsInOneAtATime(Crew crew) throws Exception {
    int[] count = {0};
    List<Helper> helpers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      helpers.add(
          crew.start(() -> {
            for (int j = 0; j < 20; j++) {
              synchronized (monitor) {
                int before = count[0];
                Crew.yieldToOthers();
                count[0] = before + 1;
              }
            }
          }));
    }
    joinAll(helpers);
    assertThat(count[0]).isEqualTo(160);
  }

  @Together
  void synchronized_heldOverASleep_blocksOnlyWhoWantsIt(Crew crew) throws Exception {
    AtomicBoolean inside = new AtomicBoolean();
    AtomicBoolean release = new AtomicBoolean();
    Helper holder =
        crew.start(() -> {
          synchronized (monitor) {
            inside.set(true);
            while (!release.get()) {
              Thread.sleep(1);
            }
          }
        });
    Crew.until(inside::get);
    Helper blocked = crew.start(() -> assertThat(taken()).isZero());
    Crew.until(() -> blocked.thread().getState() == Thread.State.BLOCKED);
    release.set(true);
    holder.join();
    blocked.join();
  }

  @Together
  void synchronized_inItself_isReentrant(Crew crew) {
    synchronized (monitor) {
      synchronized (monitor) {
        assertThat(Thread.holdsLock(monitor)).isTrue();
      }
      assertThat(Thread.holdsLock(monitor)).isTrue();
    }
    assertThat(Thread.holdsLock(monitor)).isFalse();
  }

  @Together
  void synchronized_blockedAndInterrupted_goesOnWaitingAndKeepsTheFlag(Crew crew) throws Exception {
    Helper blocked;
    synchronized (monitor) {
      blocked =
          crew.start(() -> {
            synchronized (monitor) {
              assertThat(Thread.interrupted()).isTrue();
            }
          });
      Thread thread = blocked.thread();
      Crew.until(() -> thread.getState() == Thread.State.BLOCKED);
      thread.interrupt();
      Crew.letOthersRun();
      assertThat(blocked.isEnded()).isFalse();
    }
    blocked.join();
  }

  @Together
  void wait_untilNotified_givesTheMonitorUp(Crew crew) throws Exception {
    List<Helper> one = takers(crew, 1);
    synchronized (monitor) {
      permits = 1;
      monitor.notify();
    }
    joinAll(one);
    assertThat(taken()).isEqualTo(1);
  }

  @Together
  void notify_withTwoWaiting_wakesOne(Crew crew) throws Exception {
    List<Helper> two = takers(crew, 2);
    for (int i = 1; i <= 2; i++) {
      synchronized (monitor) {
        permits = 1;
        monitor.notify();
      }
      int expected = i;
      Crew.until(() -> taken() >= expected);
      assertThat(taken()).isEqualTo(expected);
    }
    joinAll(two);
  }

  @Together
  void notifyAll_wakesAll(Crew crew) throws Exception {
    List<Helper> ten = takers(crew, 10);
    synchronized (monitor) {
      permits = 10;
      monitor.notifyAll();
    }
    joinAll(ten);
    assertThat(taken()).isEqualTo(10);
  }

  @Together
  void notify_beforeAnybodyWaits_isLost(Crew crew) throws Exception {
    synchronized (monitor) {
      monitor.notifyAll();
    }
    List<Helper> one = takers(crew, 1);
    Crew.letOthersRun();
    assertThat(taken()).isZero();
    synchronized (monitor) {
      permits = 1;
      monitor.notifyAll();
    }
    joinAll(one);
  }

  @Together
  @SuppressWarnings("WaitNotInLoop") // a wake-up without a reason is as good
  void wait_withALimit_returnsWithTheMonitor(Crew crew) throws Exception {
    synchronized (monitor) {
      monitor.wait(2);
      monitor.wait(1, 500_000);
      assertThat(Thread.holdsLock(monitor)).isTrue();
    }
  }

  @Together
  void wait_withALongLimit_isEndedByANotify(Crew crew) throws Exception {
    Helper waiter =
        crew.start(() -> {
          synchronized (monitor) {
            waiting++;
            while (permits == 0) {
              monitor.wait(TimeUnit.DAYS.toMillis(1));
            }
          }
        });
    Crew.until(() -> allWait(1));
    synchronized (monitor) {
      permits = 1;
      monitor.notifyAll();
    }
    waiter.join();
  }

  @Together
  void wait_thatIsInterrupted_throwsWithTheMonitorAndWithoutTheFlag(Crew crew) throws Exception {
    Helper waiter =
        crew.start(() -> {
          synchronized (monitor) {
            waiting++;
            assertThatThrownBy(() -> waitForEver(monitor)).isInstanceOf(InterruptedException.class);
            assertThat(Thread.holdsLock(monitor)).isTrue();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
          }
        });
    Crew.until(() -> allWait(1));
    waiter.interruptInWait();
    waiter.join();
  }

  private static void waitForEver(Object monitor) throws InterruptedException {
    synchronized (monitor) {
      while (true) {
        monitor.wait();
      }
    }
  }

  @Together
  void wait_withTheFlagSet_throwsAtOnce(Crew crew) {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> waitForEver(monitor)).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
  }

  @Together
  void waitAndNotify_withoutTheMonitor_areRefused(Crew crew) {
    assertThatThrownBy(monitor::wait).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(monitor::notify).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(monitor::notifyAll).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Together
  void wait_insideTheSameMonitorTwice_givesItUpAltogether(Crew crew) throws Exception {
    Helper outer =
        crew.start(() -> {
          synchronized (monitor) {
            take();
            assertThat(Thread.holdsLock(monitor)).isTrue();
          }
        });
    Crew.until(() -> allWait(1)); // enters the monitor, so the helper has left it
    synchronized (monitor) {
      permits = 1;
      monitor.notifyAll();
    }
    outer.join();
  }

  @Together
  void handOver_betweenTwo_losesNoTurn(Crew crew) throws Exception {
    int rounds = 50;
    int[] turn = {0};
    Helper[] both = new Helper[2];
    for (int i = 0; i < 2; i++) {
      int number = i;
      both[i] =
          crew.start(() -> {
            for (int round = 0; round < rounds; round++) {
              synchronized (monitor) {
                while (turn[0] % 2 != number) {
                  monitor.wait();
                }
                turn[0]++;
                monitor.notifyAll();
              }
            }
          });
    }
    both[0].join();
    both[1].join();
    assertThat(turn[0]).isEqualTo(2 * rounds);
  }
}
