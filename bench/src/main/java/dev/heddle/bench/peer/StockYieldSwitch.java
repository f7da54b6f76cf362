// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// Stock virtual threads calling `Thread.yield`.
///
/// Measured from the moment the last one has started until the first one ends; each counts its own
/// turns, because with several carriers they do not advance in step.
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
    for (int i = 0; i < actors; i++) {
      int cell = i;
      Thread.startVirtualThread(() -> round.run(cell));
    }
    round.ended.await();
    return round.sample();
  }

  private static final class Round {
    private static final int PATIENCE = 100; // yields; a yield is not fair, the missing may starve

    private final long laps;
    private final int stride;
    private final long[] turns; // each cell by its own thread
    private final CountDownLatch started;
    private final AtomicInteger toArrive;
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch ended;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final Meter meter = new Meter();
    private volatile boolean open;
    private volatile Sample sample = new Sample(1, 0, 0, Map.of());

    Round(int actors, long laps) {
      this.laps = laps;
      stride = actors <= PADDED_UP_TO ? CACHE_LINE_LONGS : 1;
      turns = new long[actors * stride];
      started = new CountDownLatch(actors);
      toArrive = new AtomicInteger(actors);
      ended = new CountDownLatch(actors);
    }

    void run(int actor) {
      try {
        started.countDown();
        started.await();
        meet();
      } catch (InterruptedException e) {
        throw new IllegalStateException("Nobody interrupts a round", e);
      }
      int cell = actor * stride;
      for (int i = 0; i < FloorSwitch.WARM_LAPS; i++) {
        Thread.yield();
      }
      for (long i = 0; i < laps; i++) {
        Thread.yield();
        turns[cell]++;
      }
      if (stopped.compareAndSet(false, true)) {
        sample = meter.stop(turnsSoFar());
      }
      ended.countDown();
    }

    /// Returns once all are running again after the wake-up, which is not measured.
    private void meet() throws InterruptedException {
      if (toArrive.decrementAndGet() == 0) {
        meter.start();
        open = true;
        arrived.countDown();
      }
      for (int i = 0; i < PATIENCE && !open; i++) {
        Thread.yield();
      }
      if (!open) {
        arrived.await();
      }
    }

    private long turnsSoFar() {
      long sum = 0;
      for (long cell : turns) {
        sum += cell; // safe: a turn seen late is one of millions
      }
      return sum;
    }

    Sample sample() {
      return sample;
    }
  }
}
