// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/// Stock virtual threads in a ring: each unparks the next one and parks.
public final class StockParkSwitch implements Program {
  private final int actors;

  /// A program of so many threads.
  public StockParkSwitch(int actors) {
    this.actors = actors;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    var round = new Round(actors, FloorSwitch.WARM_LAPS + Math.max(2, operations / actors));
    round.start();
    round.ended.await();
    return round.sample;
  }

  private static final class Round {
    private final long laps;
    private final Thread[] threads;
    private final CountDownLatch started;
    private final CountDownLatch ended;
    private final Meter meter = new Meter();
    private volatile int turn = -1;
    private volatile Sample sample = new Sample(1, 0, 0, Map.of());

    Round(int actors, long laps) {
      this.laps = laps;
      threads = new Thread[actors];
      started = new CountDownLatch(actors);
      ended = new CountDownLatch(actors);
    }

    void start() throws InterruptedException {
      for (int i = 0; i < threads.length; i++) {
        int actor = i;
        threads[i] = Thread.ofVirtual().unstarted(() -> run(actor));
      }
      for (Thread thread : threads) {
        thread.start();
      }
      started.await();
      turn = 0;
      LockSupport.unpark(threads[0]);
    }

    private void run(int actor) {
      started.countDown();
      int next = actor + 1 == threads.length ? 0 : actor + 1;
      for (long lap = 0; lap < laps; lap++) {
        awaitTurn(actor);
        if (actor == 0 && lap == FloorSwitch.WARM_LAPS) {
          meter.start();
        }
        if (actor == 0 && lap == laps - 1) {
          sample = meter.stop((laps - 1 - FloorSwitch.WARM_LAPS) * threads.length);
        }
        turn = next;
        LockSupport.unpark(threads[next]);
      }
      ended.countDown();
    }

    private void awaitTurn(int actor) {
      while (turn != actor) {
        LockSupport.park();
      }
    }
  }
}
