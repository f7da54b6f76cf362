// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.thread;

import dev.heddle.bench.measure.Computation;
import dev.heddle.bench.measure.PacedRound;
import dev.heddle.bench.measure.Probe;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/// Pairs of virtual threads with a queue each: a message from outside goes to the first, on to the
/// second, and back. Beside them, perhaps, threads that compute and yield, one for each processor.
public final class PacedThreads implements Program {
  private static final Long END = -1L;

  private final int pairs;
  private final boolean hogs;
  private final int perSecond;

  /// A program of so many pairs.
  ///
  /// @param perSecond how many messages; 0: each after the last answer of its pair
  public PacedThreads(int pairs, boolean hogs, int perSecond) {
    this.pairs = pairs;
    this.hogs = hogs;
    this.perSecond = perSecond;
  }

  @Override
  public Sample round(long operations) throws Exception {
    var round = new PacedRound(pairs);
    var ended = new AtomicBoolean();
    List<Thread> all = new ArrayList<>();
    List<BlockingQueue<Long>> firsts = new ArrayList<>();
    for (int i = 0; i < pairs; i++) {
      int number = i;
      BlockingQueue<Long> first = new LinkedBlockingQueue<>();
      BlockingQueue<Long> second = new LinkedBlockingQueue<>();
      BlockingQueue<Long> back = new LinkedBlockingQueue<>();
      firsts.add(first);
      all.add(Actors.start(() -> first(first, second, back, number, round)));
      all.add(Actors.start(() -> second(second, back)));
    }
    for (int i = 0; hogs && i < Runtime.getRuntime().availableProcessors(); i++) {
      all.add(Actors.start(() -> hog(ended)));
    }
    PacedRound.Send send = (target, due) -> firsts.get(target).put(due);
    Sample sample =
        perSecond == 0 ? round.closed(operations, send) : round.paced(operations, perSecond, send);
    ended.set(true);
    for (BlockingQueue<Long> first : firsts) {
      first.put(END);
    }
    for (Thread thread : all) {
      thread.join();
    }
    return sample;
  }

  private static void first(
      BlockingQueue<Long> own,
      BlockingQueue<Long> second,
      BlockingQueue<Long> back,
      int number,
      PacedRound round)
      throws InterruptedException {
    for (Long due = own.take(); !due.equals(END); due = own.take()) {
      second.put(due);
      round.answered(number, back.take());
    }
    second.put(END);
  }

  private static void second(BlockingQueue<Long> own, BlockingQueue<Long> back)
      throws InterruptedException {
    for (Long due = own.take(); !due.equals(END); due = own.take()) {
      back.put(due);
    }
  }

  private static void hog(AtomicBoolean ended) {
    while (!ended.get()) {
      Computation.hold(Probe.HOG_NANOS);
      Thread.yield();
    }
  }
}
