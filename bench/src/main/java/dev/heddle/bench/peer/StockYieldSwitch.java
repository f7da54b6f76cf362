// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/// Stock virtual threads calling `Thread.yield`.
///
/// Measured from the moment the last one is warm until that one has gone its laps, and all together
/// at least half of theirs. Each counts its own turns, because with several carriers they do not
/// advance in step, and all end with that one: else a round would take as many laps of all as the
/// quickest goes meanwhile.
public final class StockYieldSwitch implements Program {
  private static final int CACHE_LINE_LONGS = 8;
  private static final int PADDED_UP_TO =
      1_000; // beyond, padding would cost more misses than it saves

  private final int actors;

  /// A program of so many threads.
  public StockYieldSwitch(int actors) {
    this.actors = actors;
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    var round = new Round(actors, Math.max(2, operations / actors));
    for (Thread thread : round.threads) {
      thread.start();
    }
    round.ended.await();
    return round.sample;
  }

  private static final class Round {
    private final long laps;
    private final long enough; // turns of all
    private final int stride;
    private final long[] turns; // each cell by its own thread
    private final Thread[] threads;
    private final AtomicInteger toArrive;
    private final AtomicInteger toWarm;
    private final CountDownLatch ended;
    private final Meter meter = new Meter();
    private volatile boolean open;
    private volatile boolean measured;
    private volatile boolean stopped;
    private volatile Sample sample = new Sample(1, 0, 0, Map.of());

    Round(int actors, long laps) {
      this.laps = laps;
      enough = laps * actors / 2;
      stride = actors <= PADDED_UP_TO ? CACHE_LINE_LONGS : 1;
      turns = new long[actors * stride];
      threads = new Thread[actors];
      for (int i = 0; i < actors; i++) {
        int cell = i * stride;
        threads[i] = Thread.ofVirtual().unstarted(() -> run(cell));
      }
      toArrive = new AtomicInteger(actors);
      toWarm = new AtomicInteger(actors);
      ended = new CountDownLatch(actors);
    }

    private void run(int cell) {
      meet();
      for (int i = 0; i < FloorSwitch.WARM_LAPS; i++) {
        Thread.yield();
      }
      boolean last = toWarm.decrementAndGet() == 0;
      if (last) {
        meter.start();
        measured = true;
      }
      long look = laps; // seldom: it touches the turns of all
      while (!stopped) {
        Thread.yield();
        if (measured) {
          turns[cell]++;
        }
        if (last && turns[cell] == look) {
          long all = turnsSoFar();
          if (all >= enough) {
            sample = meter.stop(all);
            stopped = true;
          }
          look *= 2;
        }
      }
      ended.countDown();
    }

    /// The last one to arrive wakes all others itself. Where each wakes the next, as a latch does,
    /// those that are awake share the carriers among them, and go lap after lap before the rest has
    /// begun.
    private void meet() {
      if (toArrive.decrementAndGet() == 0) {
        open = true;
        for (Thread thread : threads) {
          LockSupport.unpark(thread);
        }
      }
      while (!open) {
        LockSupport.park();
      }
    }

    private long turnsSoFar() {
      long sum = 0;
      for (long cell : turns) {
        sum += cell; // safe: a turn seen late is one of millions
      }
      return sum;
    }
  }
}
