// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.thread;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/// Pairs of virtual threads that hand an object to and fro, through a queue each.
public final class ThreadPairs implements Program {
  private final int pairs;

  /// A program of so many pairs.
  public ThreadPairs(int pairs) {
    this.pairs = pairs;
  }

  @Override
  public Sample round(long operations) throws Exception {
    long trips = Math.max(1, operations / pairs);
    var tally = new Tally(pairs);
    List<BlockingQueue<Ball>> pings = new ArrayList<>();
    List<Ball> balls = new ArrayList<>();
    for (int i = 0; i < pairs; i++) {
      BlockingQueue<Ball> ping = new LinkedBlockingQueue<>();
      BlockingQueue<Ball> pong = new LinkedBlockingQueue<>();
      var _ = Actors.start(() -> ping(trips, ping, pong, tally));
      var _ = Actors.start(() -> pong(trips, pong, tally));
      pings.add(ping);
      balls.add(new Ball(ping));
    }
    var meter = new Meter();
    meter.start();
    for (int i = 0; i < pairs; i++) {
      pings.get(i).put(balls.get(i));
    }
    tally.await();
    Sample sample = meter.stop(pairs * trips);
    tally.check("answers", pairs * trips);
    return sample;
  }

  /// @param from who wants it back
  private record Ball(BlockingQueue<Ball> from) {}

  private static void ping(
      long trips, BlockingQueue<Ball> own, BlockingQueue<Ball> pong, Tally tally)
      throws InterruptedException {
    for (long i = 0; i < trips; i++) {
      pong.put(own.take());
    }
    var _ = own.take();
    tally.end();
  }

  private static void pong(long trips, BlockingQueue<Ball> own, Tally tally)
      throws InterruptedException {
    for (long answered = 1; answered <= trips; answered++) {
      Ball ball = own.take();
      if (answered == trips) {
        tally.add(answered);
      }
      ball.from().put(ball);
    }
  }
}
