// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.Histogram;

/// Messages from outside to some targets in turn, and how long their answers took: at a fixed rate,
/// each from the moment it was due; or, to find the peak, each as soon as its target has answered
/// the last one.
///
/// **Thread** one sends, and never sleeps, so that it is not late itself. The answers of a target
/// come one after the other, from any thread.
public final class PacedRound {
  private static final int DIGITS = 3; // of a histogram's values
  private static final int STRIDE = 8; // a cache line of counters
  private static final double SECOND_NANOS = 1e9;
  private static final double MILLIS = 1e3;

  private final int targets;
  private final Histogram[] latencies; // each by its target
  private final AtomicLongArray answered; // each by its target, read by the sender
  private final long[] sent; // sender only
  private final Meter meter = new Meter();

  /// How a message gets to a target.
  public interface Send {
    /// Sends it.
    ///
    /// @param due what the target passes to [#answered] with its number
    void to(int target, long due) throws Exception;
  }

  /// To so many targets.
  public PacedRound(int targets) {
    this.targets = targets;
    latencies = new Histogram[targets];
    for (int i = 0; i < targets; i++) {
      latencies[i] = new Histogram(DIGITS);
    }
    answered = new AtomicLongArray(targets * STRIDE);
    sent = new long[targets];
  }

  /// A target has answered.
  public void answered(int target, long due) {
    latencies[target].recordValue(Math.max(0, System.nanoTime() - due));
    int place = target * STRIDE;
    answered.setRelease(place, answered.getPlain(place) + 1); // safe: one at a time for a target
  }

  /// Sends at a fixed rate for so long, and waits for all answers.
  public Sample paced(long millis, int perSecond, Send send) throws Exception {
    long count = Math.max(1, (long) (millis / MILLIS * perSecond));
    meter.start();
    var schedule = new Schedule(System.nanoTime(), SECOND_NANOS / perSecond, count);
    long message = 0;
    while (!schedule.isOver()) {
      for (int due = schedule.due(System.nanoTime()); due > 0; due--) {
        int target = (int) (message % targets);
        sent[target]++;
        send.to(target, schedule.time(message++));
      }
      Thread.onSpinWait();
    }
    awaitAnswers();
    var all = new Histogram(DIGITS);
    Sample sample = meter.stop(count);
    for (Histogram one : latencies) {
      all.add(one);
    }
    return Latencies.in(sample, all, perSecond);
  }

  /// Sends so many, each after its target's last answer, and waits for all answers.
  public Sample closed(long operations, Send send) throws Exception {
    meter.start();
    long left = operations;
    while (left > 0) {
      for (int target = 0; target < targets && left > 0; target++) {
        if (isIdle(target)) {
          left--;
          sent[target]++;
          send.to(target, System.nanoTime());
        }
      }
    }
    awaitAnswers();
    return meter.stop(operations);
  }

  private void awaitAnswers() {
    for (int target = 0; target < targets; target++) {
      while (!isIdle(target)) {
        Thread.onSpinWait();
      }
    }
  }

  private boolean isIdle(int target) {
    return answered.getAcquire(target * STRIDE) == sent[target];
  }
}
